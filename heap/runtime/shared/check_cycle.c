/* The verifier of cycles (cycle.c): checks that a cycle has marked all live objects.

   When a cycle has decided which objects are dead, the verifier stops the world and
   marks all reachable objects once more, into fresh bitmaps. If the cycle has not
   marked a reachable object, the cycle would free the object, or clear weak pointers
   to the object. After CLEAR, no list of finalisers or ephemerons may name an object
   that the cycle would free. */

#include "hh.h"
#include "gc_api/ephemeron_layout.h"
#include <stdlib.h>

typedef struct { bits *mark_bits; size_t mark_bits_in, all_marked_in; unsigned char judged; } before;
static before *were; /* indexed by the number of the chunk's first place */

static void each_chunk(void (*f)(chunk *, before *)) {
  chunk *last = NULL;
  for (size_t i = 0; i < hh_chunks_ever(); i++) {
    chunk *c = hh_chunk_at[i];
    if (c && c != last) f(c, &were[i]);
    last = c;
  }
}

/* Checks that a marked object leads only to marked objects, except through weak
   pointers. */
static void check_marked(value v) {
  header_t h = Hd_val(v);
  if (Tag_hd(h) >= No_scan_tag || Tag_hd(h) == Cont_tag) return;
  mlsize_t i = hh_first_field(v, h);
  for (; i < Wosize_hd(h); i++)
    if (hh_is_unmarked(Field(v, i)))
      caml_fatal_error("heap: a cycle has marked %p, and not %p, to which it points", (void *)v,
                       (void *)Field(v, i));
}

/* Checks that an object's bits are all set or all clear: a sweep reads the maps word
   by word. */
static void check_whole(chunk *c, value v) {
  size_t first = hh_word_of(c, (value)Hp_val(v));
  int marked = hh_has_mark(c, v);
  for (size_t i = 0; i < Whsize_val(v); i++)
    if (hh_shared_pin(hh_own_pin_of(c, v)) && bits_at(c->mark_bits, first + i) != marked)
      caml_fatal_error("heap: a cycle has marked a part of %p, %zu of %zu words", (void *)v, i,
                       Whsize_val(v));
}

static void check_closed(chunk *c, before *unused) {
  (void)unused;
  if (!c->pin || c->large || c->mark_bits_in != hh_cycle) return;
  size_t words = c->bytes >> 3;
  for (size_t i = bits_next(c->pin, 0, words, 1); i < words;
       i = bits_next(c->pin, i, words, 1)) {
    value v = Val_hp(c->base + (i << 3));
    if (c->judged) check_whole(c, v);
    if (hh_shared_pin(hh_own_pin_of(c, v)) && hh_has_mark(c, v)) check_marked(v);
    i += Whsize_val(v);
  }
}

static void put_by(chunk *c, before *was) {
  *was = (before){c->mark_bits, c->mark_bits_in, c->all_marked_in, c->judged};
  c->mark_bits = NULL;
  c->mark_bits_in = c->all_marked_in = 0;
  hh_mark_bits(c);
  c->judged = was->judged;
}

static void lost(value v) {
  caml_fatal_error("heap: a cycle has not marked %p (header %lx), which lives", (void *)v,
                   (unsigned long)Hd_val(v));
}

static void compare(chunk *c, before *was) {
  size_t words = c->large ? 1 : c->bytes >> 3;
  if (was->all_marked_in == hh_cycle) return;
  for (size_t i = 0; (i = bits_next(c->mark_bits, i, words, 1)) < words; i++) {
    if (was->mark_bits_in == hh_cycle && bits_at(was->mark_bits, i)) continue;
    value word = (value)(c->base + (i << 3));
    if (hh_undecided(word)) lost(Val_hp(word));
  }
}

static void restore(chunk *c, before *was) {
  c->judged = was->judged;
  compare(c, was);
  free(c->mark_bits);
  c->mark_bits = was->mark_bits;
  c->mark_bits_in = was->mark_bits_in;
  c->all_marked_in = was->all_marked_in;
}

static void mark_again(domain *d) {
  greys g = {NULL, 0, 0};
  hh_forget_ephemerons();
  each_domain(x) hh_scan_private(x);
  hh_scan_common(d);
  for (size_t i = 0; i < hh_tasks(); i++) {
    heap *h = hh_heap_suspended(i);
    if (h) hh_scan_leaf(d, h);
  }
  each_domain(x) hh_append(&g, &x->greys);
  while (!hh_mark_some(&g, (size_t)-1)) {}
  free(g.at);
}

/* {1 Weak pointers} */

static void must_mark(value v, const char *what) {
  if (hh_is_unmarked(v)) caml_fatal_error("heap: a cycle has left %s %p", what, (void *)v);
}

static void check_ephemerons(values *l) {
  for (size_t i = 0; i < l->count; i++) {
    value e = l->at[i];
    must_mark(e, "an ephemeron");
    must_mark(Field(e, DATA), "data");
    for (mlsize_t k = FIRST; k < Wosize_val(e); k++) must_mark(Field(e, k), "a key");
  }
}

static void check_finals(final_list *l) {
  for (size_t i = 0; i < l->count; i++) {
    must_mark(l->at[i].fun, "a finaliser");
    must_mark(l->at[i].val, "a value to be finalised");
  }
}

static void check_weak_and_final(heap *h) {
  check_ephemerons(&h->young_ephemerons);
  check_ephemerons(&h->old_ephemerons);
  check_finals(&h->first);
  check_finals(&h->last);
  check_finals(&h->todo);
}

static void each_heap(void (*f)(heap *)) {
  f(&hh_frozen);
  each_domain(x) f(&x->own);
  for (size_t i = 0; i < hh_tasks(); i++) {
    heap *h = hh_heap_of_task(i);
    if (h) f(h);
  }
}

static void verify_cleared(domain *d) {
  (void)d;
  each_heap(check_weak_and_final);
}

/* Checks the marks. Dead keys are cleared first: a domain may have replaced a dead key
   after the marker last looked at the ephemeron, and a new key does not bring the data
   back to life. */
static void verify_marked(domain *d) {
  each_heap(hh_clear_unmarked_ephemerons);
  each_domain(x) hh_mark_rest(&x->greys);
  were = calloc(hh_chunks_ever(), sizeof *were);
  if (!were) caml_fatal_error("heap: out of memory");
  each_chunk(check_closed);
  each_chunk(put_by);
  mark_again(d);
  each_chunk(restore);
  free(were);
}

/* {1 Stopping the world} */

static int stopped(domain *d, void (*f)(domain *)) {
  size_t stage = hh_stage;
  if (!hh_checking) return 1;
  hh_stop_world(d);
  int same = hh_stage == stage;
  if (same) f(d);
  hh_start_world(d);
  return same;
}

int hh_verify_cycle(domain *d) { return stopped(d, verify_marked); }
int hh_verify_cleared(domain *d) { return stopped(d, verify_cleared); }
