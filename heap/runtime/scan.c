/* Scanning what is private, for a cycle: to find what it holds of what is shared.

   A leaf's private objects are marked while their domain waits. The heaps of which all is
   looked at have [scanned_by] set; what is shared goes to [d->greys], for the marker. */

#include "seen.h"
#include "soon.h"
#include "ephemeron.h"
#include <caml/globroots.h>
#include <stdlib.h>

typedef struct { domain *by; greys work; size_t bytes; soon soon; } scan;

static void meet(void *data, value v, volatile value *p) {
  (void)p;
  scan *s = data;
  chunk *c;
  if (!Is_block(v) || !(c = chunk_of(v)) || c->heap == &hh_cells) return;
  if (c->heap->scanned_by != s->by || hh_pinned(c, v)) {
    hh_shade(&s->by->greys, v);
    return;
  }
  v = hh_whole(v);
  if (!hh_mark(c, v)) return;
  s->bytes += Bhsize_hd(Hd_val(v));
  hh_push_grey(&s->work, v);
}

static void meet_soon(scan *s, value v) {
  if (Is_block(v) && (v = hh_ask_for(&s->soon, v))) meet(s, v, NULL);
}

static void meet_now(scan *s) {
  for (int i = 0; i < SOON; i++) meet(s, hh_asked_for(&s->soon, i), NULL);
}

/* By a weak pointer: what is shared need not live. What is private is left to its own
   heap's collections, which may take it for alive. */
static void meet_weakly(scan *s, value v) {
  if (!hh_undecided(v)) meet(s, v, NULL);
}

static void meet_ephemeron(scan *s, value e) {
  meet(s, Field(e, DATA), NULL);
  for (mlsize_t i = FIRST; i < Wosize_val(e); i++) meet_weakly(s, Field(e, i));
}

static void trace_private(scan *s, value v) {
  header_t h = Hd_val(v);
  mlsize_t i = hh_first_field(v, h), n = Wosize_hd(h);
  if (Tag_hd(h) == Abstract_tag) {
    meet_ephemeron(s, v);
    return;
  }
  if (Tag_hd(h) == Cont_tag) {
    struct stack_info *stack = Ptr_val(Field(v, 0));
    if (stack) caml_scan_stack(meet, 0, s, stack, 0);
    hh_see(chunk_of(v), v); /* all of it, as a fork may pin it again (apart.c) */
    i = 1;
  }
  for (; i < n; i++) meet_soon(s, Field(v, i));
}

static void meet_private(scan *s, values *l) {
  for (size_t i = 0; i < l->count; i++)
    if (!hh_shared_chunk(l->at[i])) meet(s, l->at[i], NULL);
}

static void meet_functions(scan *s, final_list *l) {
  for (size_t i = 0; i < l->count; i++) meet(s, l->at[i].fun, NULL);
}

/* What is told of objects holds them as far as they are private: only collections that
   may move them decide. So does what the next young collection takes for a root, dead or
   not. */
static void meet_told(scan *s, heap *h) {
  meet_private(s, &h->young_ephemerons);
  meet_private(s, &h->old_ephemerons);
  meet_functions(s, &h->first);
  meet_functions(s, &h->last);
  meet_functions(s, &h->todo);
  for (size_t i = 0; i < h->first.count; i++) meet_weakly(s, h->first.at[i].val);
  for (size_t i = 0; i < h->todo.count; i++) meet(s, h->todo.at[i].val, NULL);
  for (size_t i = 0; i < h->remembered.count; i++) meet(s, *h->remembered.at[i], NULL);
}

static void trace_all(scan *s) {
  do {
    while (s->work.count > 0) trace_private(s, s->work.at[--s->work.count].object);
    meet_now(s);
  } while (s->work.count > 0);
  free(s->work.at);
  hh_count(hh_self->figures.scanned, s->bytes);
}

static void begin(domain *by, heap *h) {
  h->scanned_by = by;
  hh_judge(h);
}

static void end(heap *h) {
  h->scanned_by = NULL;
  h->scanned_in = hh_cycle;
}

void hh_each_heap_of(domain *x, void (*f)(domain *, heap *)) {
  f(x, &x->own);
  f(x, x->leaf);
  for (size_t i = 0; i < x->entered.count; i++) {
    heap *h = hh_heap_entered(x, i);
    if (h) f(x, h);
  }
}

static void begin_one(domain *x, heap *h) { begin(x, h); }
static void end_one(domain *x, heap *h) { (void)x; end(h); }

/* All that [x] has; it waits, or calls. */
void hh_scan_private(domain *x) {
  scan s = {.by = x};
  hh_each_heap_of(x, begin_one);
  hh_scan_domain(&s, x, meet);
  hh_scan_entered(x, meet, &s);
  hh_scan_c_roots(meet, &s);
  meet_told(&s, &x->own);
  if (x->leaf != &x->own) meet_told(&s, x->leaf);
  for (size_t i = 0; i < x->entered.count; i++) {
    heap *h = hh_heap_entered(x, i);
    if (h && h != x->leaf) meet_told(&s, h);
  }
  trace_all(&s);
  hh_each_heap_of(x, end_one);
  x->has_scanned = 1;
}

/* A heap where nobody runs: of a suspended task, or one that has ended. C's roots may
   lead there too, till a collection of it publishes what they hold. */
void hh_scan_leaf(domain *by, heap *h) {
  scan s = {.by = by};
  begin(by, h);
  hh_scan_kept_of(h, meet, &s);
  hh_scan_c_roots(meet, &s);
  meet_told(&s, h);
  trace_all(&s);
  end(h);
}

/* What belongs to all. */
void hh_scan_common(domain *by) {
  scan s = {.by = by};
  caml_scan_global_roots(hh_shade_root, &by->greys);
  hh_scan_offers(hh_shade_root, &by->greys, 0);
  pthread_mutex_lock(&hh_frozen_lock);
  meet_told(&s, &hh_frozen);
  pthread_mutex_unlock(&hh_frozen_lock);
  free(s.work.at);
}
