/* The Gc module, and how the runtime begins.

   Numbers mean what they can mean here. [minor_collections] counts collections of
   leaves, [major_collections] full ones of leaves and global ones; the heap is all
   chunks of all domains; live words are those that the last collections left. Words
   of other domains are counted up to their last collection. */

#include "hh.h"
#include <caml/finalise.h>
#include <caml/frame_descriptors.h>
#include <caml/gc_ctrl.h>
#include <caml/gc_stats.h>
#include <caml/startup_aux.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

atomic_uintnat caml_max_stack_wsize;
uintnat caml_fiber_wsz, caml_percent_free;

/* {1 Figures} */

static size_t sum(size_t offset) {
  size_t n = 0;
  for (int i = 0; i < hh_max_domains; i++)
    n += *(size_t *)((char *)&hh_domains[i] + offset);
  return n;
}
#define total(field) sum(offsetof(domain, field))

static double minor_words(void) {
  caml_domain_state *s = Caml_state;
  double n = (double)(s->young_end - s->young_ptr);
  for (int i = 0; i < hh_max_domains; i++)
    if (hh_domains[i].in_use) n += (double)hh_domains[i].state->stat_minor_words;
  return n;
}

static size_t live_bytes(void) {
  size_t n = hh_bytes(&hh_frozen);
  for (int i = 0; i < hh_max_domains; i++)
    if (hh_domains[i].in_use) n += hh_bytes(hh_domains[i].leaf);
  return n;
}

/* {1 Gc} */

enum { MINOR_WORDS, PROMOTED, MAJOR_WORDS, MINORS, MAJORS, HEAP_WORDS, HEAP_CHUNKS,
       LIVE_WORDS, LIVE_BLOCKS, FREE_WORDS, FREE_BLOCKS, LARGEST_FREE, FRAGMENTS,
       COMPACTIONS, TOP_HEAP_WORDS, STACK_SIZE, FORCED, FIELDS };

/* A tuple that begins with the words allocated young, promoted, and allocated old. */
static value with_words(int fields) {
  CAMLparam0();
  CAMLlocal2(r, x);
  r = caml_alloc_tuple(fields);
  for (int i = 0; i < fields; i++) Field(r, i) = Val_long(0);
  double promoted = (double)Wsize_bsize(total(copied));
  double figures[] = {minor_words(), promoted, promoted};
  for (int i = MINOR_WORDS; i <= MAJOR_WORDS; i++) {
    x = caml_copy_double(figures[i]);
    Store_field(r, i, x);
  }
  CAMLreturn(r);
}

/* Allocates no more: the rest are integers. */
static value statistics(int with_heap) {
  value r = with_words(FIELDS);
  Field(r, MINORS) = Val_long(total(minors));
  Field(r, MAJORS) = Val_long(total(fulls) + hh_globals);
  Field(r, HEAP_WORDS) = Val_long(Wsize_bsize(hh_held()));
  Field(r, TOP_HEAP_WORDS) = Val_long(Wsize_bsize(hh_most_held()));
  Field(r, FORCED) = Val_long(Caml_state->stat_forced_major_collections);
  if (with_heap) {
    size_t live = live_bytes();
    Field(r, HEAP_CHUNKS) = Val_long(hh_held() >> CHUNK_LOG);
    Field(r, LIVE_WORDS) = Val_long(Wsize_bsize(live));
    Field(r, FREE_WORDS) = Val_long(Wsize_bsize(hh_held() - live));
  }
  return r;
}

value caml_gc_quick_stat(value unit) { (void)unit; return statistics(0); }

double caml_gc_minor_words_unboxed(void) { return minor_words(); }
value caml_gc_minor_words(value unit) {
  (void)unit;
  return caml_copy_double(minor_words());
}

value caml_gc_counters(value unit) {
  (void)unit;
  return with_words(MAJOR_WORDS + 1);
}

value caml_get_minor_free(value unit) {
  (void)unit;
  return Val_long(Caml_state->young_ptr - Caml_state->young_start);
}

/* The fields of Gc.control that mean something: the nursery, and how much a leaf may
   grow before all of it is collected. */
value caml_gc_get(value unit) {
  CAMLparam1(unit);
  CAMLlocal1(r);
  r = caml_alloc_tuple(11);
  for (int i = 0; i < 11; i++) Field(r, i) = Val_long(0);
  Field(r, 0) = Val_long(Wsize_bsize(hh_nursery_bytes));
  Field(r, 2) = Val_long(caml_percent_free);
  Field(r, 5) = Val_long(caml_max_stack_wsize);
  Field(r, 8) = Val_long(caml_custom_major_ratio);
  Field(r, 9) = Val_long(caml_custom_minor_ratio);
  Field(r, 10) = Val_long(caml_custom_minor_max_bsz);
  CAMLreturn(r);
}

/* {1 Asking for collections}. What they find to do (finalisers) is done before they
   return, and may raise. */

static value now(scope scope, int of_all) {
  domain *d = hh_self;
  if (of_all && !caml_domain_alone()) hh_global_collect(d);
  else hh_collect(d, scope);
  caml_process_pending_actions();
  return Val_unit;
}

value caml_gc_minor(value unit) { (void)unit; return now(YOUNG_ONLY, 0); }

value caml_gc_major(value unit) {
  (void)unit;
  Caml_state->stat_forced_major_collections++;
  return now(FULL, 1);
}

/* Twice: what finalisers let go of goes too. */
value caml_gc_full_major(value unit) {
  caml_gc_major(unit);
  return now(FULL, 1);
}

value caml_gc_compaction(value unit) { return caml_gc_full_major(unit); }

value caml_gc_major_slice(value words) {
  (void)words;
  return Val_long(0);
}

value caml_gc_stat(value unit) {
  (void)unit;
  return statistics(1);
}

static size_t nursery_of(uintnat words) {
  size_t bytes = Bsize_wsize(words);
  return bytes < CHUNK_BYTES ? CHUNK_BYTES : bytes;
}

value caml_gc_set(value v) {
  uintnat words = (uintnat)Long_val(Field(v, 0)), free = (uintnat)Long_val(Field(v, 2));
  uintnat stack = (uintnat)Long_val(Field(v, 5));
  if (words > 0 && words != Wsize_bsize(hh_nursery_bytes))
    hh_nursery_bytes = nursery_of(words);
  if (free > 0) caml_percent_free = free;
  if (stack != caml_max_stack_wsize) caml_change_max_stack_size(stack);
  if (Wosize_val(v) >= 11) {
    caml_custom_major_ratio = (uintnat)Long_val(Field(v, 8));
    caml_custom_minor_ratio = (uintnat)Long_val(Field(v, 9));
    caml_custom_minor_max_bsz = (uintnat)Long_val(Field(v, 10));
  }
  return Val_unit;
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

/* What sys.c prints at exit with OCAMLRUNPARAM=v=0x400. */
void caml_compute_gc_stats(struct gc_stats *g) {
  memset(g, 0, sizeof *g);
  g->alloc_stats.minor_words = (uint64_t)minor_words();
  g->alloc_stats.promoted_words = Wsize_bsize(total(copied));
  g->alloc_stats.major_words = g->alloc_stats.promoted_words;
  g->heap_stats.pool_words = (intnat)Wsize_bsize(hh_held());
  g->heap_stats.pool_max_words = (intnat)Wsize_bsize(hh_most_held());
}

/* {1 Beginning} */

int hh_processors(void) {
  long n = sysconf(_SC_NPROCESSORS_ONLN);
  return n < 1 ? 1 : (int)n;
}

/* DROMOS_HEAP, as OCAMLRUNPARAM, is a list of letters with values in bytes (k, M, G
   may follow):  v: report at exit;  n=: the nursery;  l=: no full collection of a
   leaf below this;  g=: no global collection below this;  c: walk the heap after each
   collection and check it. */
static int verbose;

static size_t bytes_of(const char **p) {
  char *end;
  size_t n = strtoull(*p, &end, 10);
  int shift = *end == 'k' ? 10 : *end == 'M' ? 20 : *end == 'G' ? 30 : 0;
  *p = end + (shift > 0);
  return n << shift;
}

static void parse(const char *p) {
  while (p && *p) {
    char letter = *p++;
    size_t n = 0;
    if (*p == '=') { p++; n = bytes_of(&p); }
    switch (letter) {
    case 'v': verbose = 1; break;
    case 'c': hh_checking = 1; break;
    case 'n': hh_nursery_bytes = n < 4096 ? 4096 : n; break;
    case 'l': hh_least_old = n; break;
    case 'g': hh_least_global = n; break;
    case ',': break;
    default:
      fprintf(stderr, "DROMOS_HEAP: `%c' is none of v, c, n=, l=, g=\n", letter);
      return;
    }
  }
}

static void report(void) {
  if (!verbose) return;
  size_t longest = 0;
  for (int i = 0; i < hh_max_domains; i++)
    if (hh_domains[i].longest_ns > longest) longest = hh_domains[i].longest_ns;
  fprintf(stderr,
          "heap: %zu leaf collections, %zu of them full, longest %.3f ms, "
          "together %.3f s\n"
          "heap: %zu global collections, longest pause %.3f ms\n"
          "heap: %.1f MB copied, %.3f MB pinned, at most %.1f MB held\n",
          total(minors), total(fulls), (double)longest * 1e-6,
          (double)total(spent_ns) * 1e-9, hh_globals,
          (double)hh_longest_global_ns * 1e-6, (double)total(copied) * 1e-6,
          (double)total(pinned) * 1e-6, (double)hh_most_held() * 1e-6);
}

void caml_init_gc(void) {
  caml_max_stack_wsize = caml_params->init_max_stack_wsz;
  caml_fiber_wsz = (Stack_threshold * 2) / sizeof(value);
  caml_percent_free = caml_params->init_percent_free;
  caml_custom_major_ratio = caml_params->init_custom_major_ratio;
  caml_custom_minor_ratio = caml_params->init_custom_minor_ratio;
  caml_custom_minor_max_bsz = caml_params->init_custom_minor_max_bsz;
  hh_nursery_bytes = Bsize_wsize(caml_params->init_minor_heap_wsz);
  parse(getenv("DROMOS_HEAP"));
  hh_init_space();
  caml_init_frame_descriptors();
  hh_first_domain();
  atexit(report);
}
