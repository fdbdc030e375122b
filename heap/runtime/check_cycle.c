/* The verifier of cycles (cycle.c): checks that a cycle has marked all live objects.

   The driver calls [hh_verify_cycle] and [hh_verify_cleared], which do nothing without
   DROMOS_HEAP=c. The marks and maps of the cycle are restored afterwards.

   When a cycle has decided which objects are dead, the verifier stops the world and
   marks all reachable objects once more, into fresh bitmaps. If the cycle has not
   marked a reachable object, the cycle would free the object, or clear weak pointers
   to the object. After CLEAR, no list of finalisers or ephemerons may name an object
   that the cycle would free. */

#include "seen.h"
#include "ephemeron.h"
#include <stdlib.h>

typedef struct { bits *seen; size_t seen_in, met_in; unsigned char judged; } before;
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
static void check_met(value v) {
  header_t h = Hd_val(v);
  if (Tag_hd(h) >= No_scan_tag || Tag_hd(h) == Cont_tag) return;
  mlsize_t i = hh_first_field(v, h);
  for (; i < Wosize_hd(h); i++)
    if (hh_unmet(Field(v, i)))
      caml_fatal_error("heap: a cycle has met %p, and not %p, to which it points", (void *)v,
                       (void *)Field(v, i));
}

/* Checks that an object's bits are all set or all clear: a sweep reads the maps word
   by word. */
static void check_whole(chunk *c, value v) {
  size_t first = hh_word_of(c, (value)Hp_val(v));
  int met = hh_seen(c, v);
  for (size_t i = 0; i < Whsize_val(v); i++)
    if (hh_shared_pin(hh_own_pin_of(c, v)) && bits_at(c->seen, first + i) != met)
      caml_fatal_error("heap: a cycle has met a part of %p, %zu of %zu words", (void *)v, i,
                       Whsize_val(v));
}

static void check_closed(chunk *c, before *unused) {
  (void)unused;
  if (!c->pin || c->large || c->seen_in != hh_cycle) return;
  size_t words = c->bytes >> 3;
  for (size_t i = bits_next(c->pin, 0, words, 1); i < words;
       i = bits_next(c->pin, i, words, 1)) {
    value v = Val_hp(c->base + (i << 3));
    if (c->judged) check_whole(c, v);
    if (hh_shared_pin(hh_own_pin_of(c, v)) && hh_seen(c, v)) check_met(v);
    i += Whsize_val(v);
  }
}

static void put_by(chunk *c, before *was) {
  *was = (before){c->seen, c->seen_in, c->met_in, c->judged};
  c->seen = NULL;
  c->seen_in = c->met_in = 0;
  hh_seen_map(c);
  c->judged = was->judged;
}

static void lost(value v) {
  caml_fatal_error("heap: a cycle has not met %p (header %lx), which lives", (void *)v,
                   (unsigned long)Hd_val(v));
}

static void compare(chunk *c, before *was) {
  size_t words = c->large ? 1 : c->bytes >> 3;
  if (was->met_in == hh_cycle) return;
  for (size_t i = 0; (i = bits_next(c->seen, i, words, 1)) < words; i++) {
    if (was->seen_in == hh_cycle && bits_at(was->seen, i)) continue;
    value word = (value)(c->base + (i << 3));
    if (hh_undecided(word)) lost(Val_hp(word));
  }
}

static void restore(chunk *c, before *was) {
  c->judged = was->judged;
  compare(c, was);
  free(c->seen);
  c->seen = was->seen;
  c->seen_in = was->seen_in;
  c->met_in = was->met_in;
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

static void must_be_met(value v, const char *what) {
  if (hh_unmet(v)) caml_fatal_error("heap: a cycle has left %s %p", what, (void *)v);
}

static void check_ephemerons(values *l) {
  for (size_t i = 0; i < l->count; i++) {
    value e = l->at[i];
    must_be_met(e, "an ephemeron");
    must_be_met(Field(e, DATA), "data");
    for (mlsize_t k = FIRST; k < Wosize_val(e); k++) must_be_met(Field(e, k), "a key");
  }
}

static void check_finals(final_list *l) {
  for (size_t i = 0; i < l->count; i++) {
    must_be_met(l->at[i].fun, "a finaliser");
    must_be_met(l->at[i].val, "a value to be finalised");
  }
}

static void check_told(heap *h) {
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
  each_heap(check_told);
}

/* Checks the marks. Dead keys are cleared first: a domain may have replaced a dead key
   after the marker last looked at the ephemeron, and a new key does not bring the data
   back to life. */
static void verify_met(domain *d) {
  each_heap(hh_clear_unmet_ephemerons);
  each_domain(x) hh_see_rest(&x->greys);
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

int hh_verify_cycle(domain *d) { return stopped(d, verify_met); }
int hh_verify_cleared(domain *d) { return stopped(d, verify_cleared); }
