/* Parts of stock's runtime that have no use here.

   Stock's other files and stubs call the functions below, which return without work or
   fail with a message. No file of this folder calls them.

   - Statistical memory profiling: starting it fails, with a message.
   - Marking by stock: nothing to do.
   - The addresses of the minor heap: [Is_young] is false for every value, and stock's
     array.c and fiber.c take their careful paths. In intern.c, which asks only in
     order to note a finaliser, [Is_young] is true (build.sh renames the variables
     there). */

#include "hh.h"
#include <caml/major_gc.h>
#include <caml/memprof.h>
#include <caml/minor_gc.h>
#include <stdlib.h>

uintnat caml_minor_heaps_start, caml_minor_heaps_end, caml_minor_heap_max_wsz;
uintnat hh_young_start = 0, hh_young_end = UINTPTR_MAX;
atomic_uintnat caml_minor_collections_count, caml_major_slice_epoch;
atomic_uintnat caml_compactions_count;
uintnat caml_major_cycles_completed;
gc_phase_t caml_gc_phase;
struct global_heap_state caml_global_heap_state = {
    0 << HEADER_COLOR_SHIFT, 1 << HEADER_COLOR_SHIFT, 2 << HEADER_COLOR_SHIFT};

void caml_darken(void *unused, value v, volatile value *p) {
  (void)unused; (void)v; (void)p;
}

/* Never called: no value is young for callers that would add to the table. */
void caml_realloc_ref_table(struct caml_ref_table *t) {
  (void)t;
  caml_fatal_error("heap: a reference table is asked for");
}

/* {1 Memprof} */

struct memprof_thread_s { int unused; };

value caml_memprof_start(value rate, value size, value tracker) {
  (void)rate; (void)size; (void)tracker;
  caml_failwith("Gc.Memprof.start: not supported by this runtime (hierarchical heaps)");
}
value caml_memprof_stop(value unit) {
  (void)unit;
  caml_failwith("Gc.Memprof.stop: no profile is running.");
}
value caml_memprof_discard(value profile) {
  (void)profile;
  caml_failwith("Gc.Memprof.discard: profile not stopped");
}

/* systhreads asks for a record for each thread, and frees it. */
memprof_thread_t caml_memprof_new_thread(caml_domain_state *s) {
  (void)s;
  return malloc(sizeof(struct memprof_thread_s));
}
memprof_thread_t caml_memprof_main_thread(caml_domain_state *s) {
  return caml_memprof_new_thread(s);
}
void caml_memprof_enter_thread(memprof_thread_t t) { (void)t; }
void caml_memprof_delete_thread(memprof_thread_t t) { free(t); }
void caml_memprof_update_suspended(_Bool b) { (void)b; }
caml_result caml_memprof_run_callbacks_res(void) { return Result_unit; }
void caml_memprof_sample_block(value v, size_t a, size_t s, int source) {
  (void)v; (void)a; (void)s; (void)source;
}
