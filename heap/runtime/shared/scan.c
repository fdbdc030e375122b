/* Scanning private objects for a cycle, to find the shared objects that they hold. */

#include "hh.h"
#include "local/prefetch.h"
#include "gc_api/ephemeron_layout.h"
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

/* Visits the target of a weak pointer. A shared target need not live, so the scan does
   not mark it. A private target is scanned as if alive: only a collection of its own
   heap can find it dead. */
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
    hh_set_mark(chunk_of(v), v); /* sets all bits: a fork may pin the continuation again
                               (bulk_pin.c) */
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

/* Visits the objects in the heap's lists of ephemerons and finalisers, as far as they
   are private: only a collection that may move an object decides whether the object
   lives. The remembered set is visited too, since the next young collection takes its
   fields for roots, dead or not. */
static void scan_weak_and_final(scan *s, heap *h) {
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

/* Scans all heaps of domain [x]. The caller is [x], or [x] is blocked. */
void hh_scan_private(domain *x) {
  scan s = {.by = x};
  hh_each_heap_of(x, begin_one);
  hh_scan_domain(&s, x, meet);
  hh_scan_entered(x, meet, &s);
  hh_scan_c_roots(meet, &s);
  scan_weak_and_final(&s, &x->own);
  if (x->leaf != &x->own) scan_weak_and_final(&s, x->leaf);
  for (size_t i = 0; i < x->entered.count; i++) {
    heap *h = hh_heap_entered(x, i);
    if (h && h != x->leaf) scan_weak_and_final(&s, h);
  }
  trace_all(&s);
  hh_each_heap_of(x, end_one);
  x->has_scanned = 1;
}

/* Scans a heap in which no domain runs: of a suspended task, or of a task that has
   ended. C roots may lead there too, until a collection of the heap publishes the
   values they hold. */
void hh_scan_leaf(domain *by, heap *h) {
  scan s = {.by = by};
  begin(by, h);
  hh_scan_kept_of(h, meet, &s);
  hh_scan_c_roots(meet, &s);
  scan_weak_and_final(&s, h);
  trace_all(&s);
  end(h);
}

/* Scans the global roots, the offered branches and the lists of the shared heap. */
void hh_scan_common(domain *by) {
  scan s = {.by = by};
  caml_scan_global_roots(hh_shade_root, &by->greys);
  hh_scan_offers(hh_shade_root, &by->greys, 0);
  pthread_mutex_lock(&hh_frozen_lock);
  scan_weak_and_final(&s, &hh_frozen);
  pthread_mutex_unlock(&hh_frozen_lock);
  free(s.work.at);
}
