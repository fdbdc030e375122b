/* Checks that a cycle (cycle.c) has met all that lives.

   When a cycle is about to end the world is stopped and all that can be reached is marked
   once more, into fresh maps. What of that the cycle was to judge, and has not met, it
   would free. Turned on by DROMOS_HEAP=c. */

#include "hh.h"
#include <caml/globroots.h>
#include <stdlib.h>

typedef struct { bits *seen; size_t seen_in, met_in; unsigned char judged; } before;
static before *were; /* by number of the chunk's first place */

static void each_chunk(void (*f)(chunk *, before *)) {
  chunk *last = NULL;
  for (size_t i = 0; i < hh_chunks_ever(); i++) {
    chunk *c = hh_chunk_at[i];
    if (c && c != last) f(c, &were[i]);
    last = c;
  }
}

/* What was met leads to nothing that is about to be freed. */
static int doomed(value v) {
  chunk *c = Is_block(v) ? chunk_of(v) : NULL;
  return c && c->judged && c->seen_in == hh_cycle && !c->heap->frozen && !c->large &&
         hh_shared_pin(hh_own_pin_of(c, v)) && Tag_val(v) != Infix_tag && !hh_seen(c, v);
}

static void check_met(value v) {
  header_t h = Hd_val(v);
  if (Tag_hd(h) >= No_scan_tag || Tag_hd(h) == Cont_tag) return;
  mlsize_t i = Tag_hd(h) == Closure_tag ? Start_env_closinfo(Closinfo_val(v)) : 0;
  for (; i < Wosize_hd(h); i++)
    if (doomed(Field(v, i)))
      caml_fatal_error("heap: a cycle has met %p, and not %p, to which it points", (void *)v,
                       (void *)Field(v, i));
}

/* A sweep reads the maps word by word. */
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
    if (c->judged && hh_seen(c, v)) check_met(v);
    i += Whsize_val(v);
  }
}

static void put_by(chunk *c, before *was) {
  *was = (before){c->seen, c->seen_in, c->met_in, c->judged};
  c->seen = NULL;
  c->seen_in = c->met_in = 0;
}

static void lost(value v) {
  caml_fatal_error("heap: a cycle has not met %p (header %lx), which lives", (void *)v,
                   (unsigned long)Hd_val(v));
}

static void compare(chunk *c, before *was) {
  size_t words = c->large ? 1 : c->bytes >> 3;
  int judged = was->judged && was->seen_in == hh_cycle && c->seen_in == hh_cycle;
  for (size_t i = 0; judged && i < words; i++) {
    if (!bits_at(c->seen, i) || bits_at(was->seen, i)) continue;
    value word = (value)(c->base + (i << 3));
    if (c->heap->frozen || hh_shared_pin(hh_own_pin_of(c, word))) lost(Val_hp(word));
  }
}

static void restore(chunk *c, before *was) {
  compare(c, was);
  free(c->seen);
  c->seen = was->seen;
  c->seen_in = was->seen_in;
  c->met_in = was->met_in;
  c->judged = was->judged;
}

static void mark_again(domain *d) {
  greys g = {NULL, 0, 0};
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

int hh_verify_cycle(domain *d) {
  size_t stage = hh_stage;
  if (!hh_checking) return 1;
  hh_stop_world(d);
  if (hh_stage != stage) {
    hh_start_world(d);
    return 0;
  }
  were = calloc(hh_chunks_ever(), sizeof *were);
  if (!were) caml_fatal_error("heap: out of memory");
  each_chunk(check_closed);
  each_chunk(put_by);
  mark_again(d);
  each_chunk(restore);
  free(were);
  hh_start_world(d);
  return 1;
}
