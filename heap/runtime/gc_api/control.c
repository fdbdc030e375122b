/* The module `Gc`.

   Stock's stubs call the functions below, by stock's names. Only this file counts a
   collection as forced.

   Figures mean what gc.mli says, as far as possible. [minor_collections] counts all
   collections; [major_collections] counts full collections of leaves and global ones.
   The heap is all chunks of all domains, young chunks included. Figures that stock
   leaves 0 are filled in: free blocks and the stack. The words of other domains are
   counted up to their last collection. [quick_stat] counts whole chunks as alive. */

#include "hh.h"
#include <caml/gc_ctrl.h>
#include <caml/gc_stats.h>
#include <caml/runtime_events.h>
#include <caml/startup_aux.h>
#include <stdio.h>
#include <string.h>

/* {1 Figures} */

/* Bytes allocated by the calling domain, and by earlier domains in the same place. */
static size_t small_bytes(void) {
  return hh_self->figures.small + hh_in_area(hh_self);
}

/* Bytes allocated by all domains, without the other domains' present areas. */
static size_t all_small_bytes(void) { return hh_total(small) + hh_in_area(hh_self); }

/* Bytes of chunks that are not young: survivors, dead objects and holes. */
static size_t survivors(void) {
  size_t young = hh_total(young_chunks), held = hh_held();
  return held > young ? held - young : 0;
}

/* {1 Gc} */

enum { MINOR_WORDS, PROMOTED, MAJOR_WORDS, MINORS, MAJORS, HEAP_WORDS, HEAP_CHUNKS,
       LIVE_WORDS, LIVE_BLOCKS, FREE_WORDS, FREE_BLOCKS, LARGEST_FREE, FRAGMENTS,
       COMPACTIONS, TOP_HEAP_WORDS, STACK_SIZE, FORCED, FIELDS };

/* Makes a tuple that begins with the words allocated young, promoted, and allocated
   old. */
static value with_words(int fields, size_t small, size_t promoted, size_t large) {
  CAMLparam0();
  CAMLlocal2(r, x);
  size_t bytes[] = {small, promoted, promoted + large};
  r = caml_alloc_tuple(fields);
  for (int i = 0; i < fields; i++) Field(r, i) = Val_long(0);
  for (int i = MINOR_WORDS; i <= MAJOR_WORDS; i++) {
    x = caml_copy_double((double)Wsize_bsize(bytes[i]));
    Store_field(r, i, x);
  }
  CAMLreturn(r);
}

static void set(value r, int field, size_t n) { Field(r, field) = Val_long(n); }

/* Fills the record of `Gc.stat`. Without a census, all bytes in chunks of survivors
   count as alive. Nothing is allocated after the tuple: the remaining fields are
   integers. */
static value statistics(const census *c) {
  value r = with_words(FIELDS, all_small_bytes(), hh_total(promoted), hh_total(large));
  size_t held = Wsize_bsize(hh_held()), live = Wsize_bsize(survivors());
  size_t majors = hh_total(full.count) + hh_read(hh_globals.count);
  set(r, MINORS, hh_total(young.count) + majors);
  set(r, MAJORS, majors);
  set(r, HEAP_WORDS, c ? c->words : held);
  set(r, LIVE_WORDS, c ? c->live_words : live);
  set(r, FREE_WORDS, c ? c->free_words : held > live ? held - live : 0);
  set(r, COMPACTIONS, caml_compactions_count);
  set(r, TOP_HEAP_WORDS, Wsize_bsize(hh_most_held()));
  set(r, STACK_SIZE, Wsize_bsize(hh_stack_bytes(Caml_state)));
  set(r, FORCED, hh_total(forced));
  if (!c) return r;
  set(r, HEAP_CHUNKS, c->chunks);
  set(r, LIVE_BLOCKS, c->live_blocks);
  set(r, FREE_BLOCKS, c->free_blocks);
  set(r, LARGEST_FREE, c->largest_free);
  set(r, FRAGMENTS, c->fragments);
  return r;
}

value caml_gc_quick_stat(value unit) { (void)unit; return statistics(NULL); }

double caml_gc_minor_words_unboxed(void) {
  return (double)Wsize_bsize(small_bytes());
}
value caml_gc_minor_words(value unit) {
  (void)unit;
  return caml_copy_double(caml_gc_minor_words_unboxed());
}

value caml_gc_counters(value unit) {
  (void)unit;
  figures *f = &hh_self->figures;
  return with_words(MAJOR_WORDS + 1, small_bytes(), f->promoted, f->large);
}

value caml_get_minor_free(value unit) {
  (void)unit;
  return Val_long(Caml_state->young_ptr - Caml_state->young_start);
}

/* {1 Asking for collections}. The finalisers that a collection finds due run before
   the function returns, and may raise. */

/* Collects everything, also frozen and pinned objects. */
static void collect_all(census *c) {
  domain *d = hh_self;
  if (!hh_alone())
    hh_global_collect(d, c);
  else {
    hh_collect(d, FULL);
    if (c) hh_take_census(c);
  }
}

/* Collects twice, to free also the objects that finalisers let go of. */
static caml_result collect_twice(census *c) {
  collect_all(NULL);
  caml_result r = caml_process_pending_actions_res();
  if (caml_result_is_exception(r)) return r;
  collect_all(c);
  hh_count(hh_self->figures.forced, 1);
  return caml_process_pending_actions_res();
}

static value forced(ev_runtime_phase phase, census *c) {
  CAML_EV_BEGIN(phase);
  caml_result r = collect_twice(c);
  CAML_EV_END(phase);
  caml_get_value_or_raise(r);
  return Val_unit;
}

value caml_gc_full_major(value unit) {
  (void)unit;
  return forced(EV_EXPLICIT_GC_FULL_MAJOR, NULL);
}

value caml_gc_compaction(value unit) {
  (void)unit;
  atomic_fetch_add(&caml_compactions_count, 1);
  return forced(EV_EXPLICIT_GC_COMPACT, NULL);
}

value caml_gc_stat(value unit) {
  (void)unit;
  census c;
  forced(EV_EXPLICIT_GC_STAT, &c);
  return statistics(&c);
}

value caml_gc_major(value unit) {
  (void)unit;
  CAML_EV_BEGIN(EV_EXPLICIT_GC_MAJOR);
  collect_all(NULL);
  CAML_EV_END(EV_EXPLICIT_GC_MAJOR);
  caml_process_pending_actions();
  return Val_unit;
}

static value young(ev_runtime_phase phase) {
  CAML_EV_BEGIN(phase);
  hh_collect(hh_self, YOUNG_ONLY);
  CAML_EV_END(phase);
  caml_process_pending_actions();
  return Val_unit;
}

value caml_gc_minor(value unit) { (void)unit; return young(EV_EXPLICIT_GC_MINOR); }

/* This runtime has no slices; a young collection is run instead. */
value caml_gc_major_slice(value words) {
  (void)words;
  young(EV_EXPLICIT_GC_MAJOR_SLICE);
  return Val_long(0);
}

/* {1 Parameters} */

/* Returns the fields of Gc.control that have a meaning here: the nursery, and how much
   a leaf may grow before a full collection. */
value caml_gc_get(value unit) {
  CAMLparam1(unit);
  CAMLlocal1(r);
  r = caml_alloc_tuple(11);
  for (int i = 0; i < 11; i++) Field(r, i) = Val_long(0);
  Field(r, 0) = Val_long(Wsize_bsize(hh_nursery_bytes));
  Field(r, 2) = Val_long(caml_percent_free);
  Field(r, 3) = Val_long(caml_verb_gc);
  Field(r, 5) = Val_long(caml_max_stack_wsize);
  Field(r, 8) = Val_long(caml_custom_major_ratio);
  Field(r, 9) = Val_long(caml_custom_minor_ratio);
  Field(r, 10) = Val_long(caml_custom_minor_max_bsz);
  CAMLreturn(r);
}

static size_t nursery_of(uintnat words) {
  size_t bytes = Bsize_wsize(words);
  return bytes < CHUNK_BYTES ? CHUNK_BYTES : bytes;
}

value caml_gc_set(value v) {
  uintnat words = (uintnat)Long_val(Field(v, 0)), free = (uintnat)Long_val(Field(v, 2));
  uintnat stack = (uintnat)Long_val(Field(v, 5));
  if (free > 0) caml_percent_free = free;
  atomic_store(&caml_verb_gc, (uintnat)Long_val(Field(v, 3)));
  if (stack != caml_max_stack_wsize) caml_change_max_stack_size(stack);
  if (Wosize_val(v) >= 11) {
    caml_custom_major_ratio = (uintnat)Long_val(Field(v, 8));
    caml_custom_minor_ratio = (uintnat)Long_val(Field(v, 9));
    caml_custom_minor_max_bsz = (uintnat)Long_val(Field(v, 10));
  }
  if (words == 0 || nursery_of(words) == hh_nursery_bytes) return Val_unit;
  hh_nursery_bytes = nursery_of(words);
  return young(EV_EXPLICIT_GC_SET);
}

value caml_ml_enable_runtime_warnings(value on) { (void)on; return Val_unit; }
value caml_ml_runtime_warnings_enabled(value unit) { (void)unit; return Val_false; }
value caml_runtime_variant(value unit) { (void)unit; return caml_copy_string("hh"); }

value caml_runtime_parameters(value unit) {
  char text[128];
  (void)unit;
  snprintf(text, sizeof text, "d=%lu,l=%lu,o=%lu,s=%zu", caml_params->max_domains,
           (uintnat)caml_max_stack_wsize, caml_percent_free,
           Wsize_bsize(hh_nursery_bytes));
  return caml_copy_string(text);
}

/* Fills the figures that sys.c prints at exit with OCAMLRUNPARAM=v=0x400. */
void caml_compute_gc_stats(struct gc_stats *g) {
  memset(g, 0, sizeof *g);
  size_t promoted = hh_total(promoted), large = hh_total(large);
  g->alloc_stats.minor_words = Wsize_bsize(all_small_bytes());
  g->alloc_stats.promoted_words = Wsize_bsize(promoted);
  g->alloc_stats.major_words = Wsize_bsize(promoted + large);
  g->alloc_stats.forced_major_collections = hh_total(forced);
  g->heap_stats.pool_words = (intnat)Wsize_bsize(hh_held());
  g->heap_stats.pool_max_words = (intnat)Wsize_bsize(hh_most_held());
}
