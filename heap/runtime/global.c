/* The safety net: a collection of all heaps, with the world stopped.

   What is frozen or pinned no domain may collect by itself. When all heaps together
   have doubled since the last time (and are more than [hh_least_global]) one domain
   stops the others and copies what lives. No pin outlives that:

   - what global variables and C's roots reach goes to the frozen heap;
   - what only one domain's roots reach goes to that domain's leaf;
   - what two of them reach stays with the first, and is published there.

   This is a pause for the whole program, as long as what lives is large. */

#include "hh.h"
#include <caml/globroots.h>
#include <caml/runtime_events.h>

size_t hh_least_global = (size_t)64 << 20;
static size_t live; /* after the last one */

int hh_global_due(void) {
  size_t threshold = 2 * live;
  return hh_held() > (threshold < hh_least_global ? hh_least_global : threshold);
}

/* {1 All heaps} */

static int alive(int i) { return hh_domains[i].in_use; }
#define each_domain(x)                                                   \
  for (int i_ = 0; i_ < hh_max_domains; i_++)                            \
    for (domain *x = &hh_domains[i_]; alive(i_) && x; x = NULL)

static void take_from(chunks *from, heap *h) {
  hh_join_chunks(from, &h->young);
  hh_join_chunks(from, &h->old);
  hh_join_chunks(from, &h->holed);
  h->open = NULL;
  h->grown = h->live = 0;
  h->remembered.count = 0;
}

/* What was pinned young has been counted as promoted. */
static void take_all(chunks *from) {
  hh_note_most_pinned();
  take_from(from, &hh_frozen);
  each_domain(x) {
    hh_leave_area(x);
    hh_collect_new_customs(x);
    hh_settle_ephemerons(x->leaf);
    take_from(from, x->leaf);
  }
  for (chunk *c = from->first; c; c = c->next) {
    if (c->pin) c->young = 0;
    hh_unpin(c);
    c->from = 1;
    c->marked = 0;
  }
}

/* {1 Tracing}. [d] does it, for each heap in turn; what it meets that another
   domain's leaf has already it notes. */

static void trace_strong(domain *d) {
  hh_trace_start(d, &hh_frozen);
  caml_scan_global_roots(hh_forward, d);
  hh_scan_finals(d, &hh_frozen, hh_forward, FULL);
  hh_trace(d);
  d->noting = 1;
  each_domain(x) {
    hh_trace_start(d, x->leaf);
    hh_scan_domain(d, x, hh_forward);
    hh_scan_finals(d, x->leaf, hh_forward, FULL);
    hh_trace(d);
  }
}

/* Data of one heap's ephemerons may hold keys of another's. */
static void trace_data(domain *d) {
  for (int more = 1; more;) {
    hh_trace_start(d, &hh_frozen);
    more = hh_keep_data(d, &hh_frozen);
    each_domain(x) {
      hh_trace_start(d, x->leaf);
      more |= hh_keep_data(d, x->leaf);
    }
  }
}

/* Those of domains that ended are called here. */
static void trace_finals(domain *d) {
  hh_take_dead(d, &hh_frozen);
  each_domain(x) hh_take_dead(x, x->leaf);
  each_domain(x) {
    hh_trace_start(d, x->leaf);
    hh_scan_todo(d, x, hh_forward);
    hh_trace(d);
  }
}

static void sweep(domain *d) {
  hh_clear_ephemerons(&hh_frozen);
  hh_take_dead_last(d, &hh_frozen);
  hh_sweep_customs(&hh_frozen, FULL);
  each_domain(x) {
    hh_clear_ephemerons(x->leaf);
    hh_take_dead_last(x, x->leaf);
    hh_sweep_customs(x->leaf, FULL);
  }
}

/* What is told of objects goes along to the heaps that they have come to. */
static void rehome(domain *d, heap *h) {
  hh_rehome_customs(h);
  hh_rehome_ephemerons(d, h);
  hh_note_stray_finals(d, h);
}

/* As its owner would. */
static void publish_noted(domain *d) {
  d->noting = 0;
  while (d->elsewhere.count > 0) {
    value v = d->elsewhere.at[--d->elsewhere.count];
    heap *h = chunk_of(v)->heap;
    each_domain(x) if (x->leaf == h) {
      hh_self = x;
      hh_publish(v);
    }
  }
  hh_self = d;
}

static void collect(domain *d) {
  chunks from = {NULL, NULL, 0};
  take_all(&from);
  trace_strong(d);
  trace_data(d);
  trace_finals(d);
  trace_data(d);
  sweep(d);
  rehome(d, &hh_frozen);
  each_domain(x) rehome(d, x->leaf);
  publish_noted(d);
  hh_settle(&from);
  each_domain(x) {
    x->leaf->live = x->leaf->old.bytes;
    hh_sample(x);
    hh_check(x, "a global collection");
    hh_new_area(x);
  }
  live = hh_held();
  each_domain(x) if (hh_callbacks_wait(x)) x->state->action_pending = 1;
}

/* The pause is that of who asks for it: it waits for the others too. */
void hh_global_collect(domain *d, census *census) {
  size_t began = hh_now_ns();
  CAML_EV_BEGIN(EV_STW_LEADER);
  hh_stop_world(d);
  CAML_EV_BEGIN(EV_MAJOR);
  CAML_EV_BEGIN(EV_MAJOR_GC_STW);
  collect(d);
  if (census) hh_take_census(census);
  CAML_EV_END(EV_MAJOR_GC_STW);
  CAML_EV_END(EV_MAJOR);
  size_t took = hh_now_ns() - began;
  hh_note_pause(&hh_globals, took, took);
  hh_emit_counters(d);
  hh_start_world(d);
  CAML_EV_END(EV_STW_LEADER);
}
