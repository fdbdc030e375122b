/* The safety net: a collection of all heaps, with the world stopped.

   No domain may collect frozen or permanently pinned objects by itself. Here a single
   domain stops the others and copies all live objects. No pin outlives the collection:

   - objects that global variables and C roots reach go to the shared heap;
   - objects that only a single domain's roots reach go to that domain's leaf; objects
     that only a suspended task or a result reaches go to that task's heap;
   - objects that two heaps' roots reach stay with the first heap, and are published
     there: for the fork between the two, if the first is above the second.

   The pause is a pause of the whole program, in proportion to the live bytes. */

#include "hh.h"
#include <caml/globroots.h>
#include <caml/runtime_events.h>

/* {1 All heaps} */

/* Calls [f] for all leaves, of domains and of tasks, perhaps with [d] in place of the
   leaf's domain. */
static void each_leaf(domain *d, void (*f)(domain *, heap *)) {
  each_domain(x) f(d, &x->own);
  for (size_t i = 0; i < hh_tasks(); i++) {
    heap *h = hh_heap_of_task(i);
    if (h) f(d, h);
  }
}

static void each_heap(domain *d, void (*f)(domain *, heap *)) {
  f(d, &hh_frozen);
  f(d, &hh_pool);
  each_leaf(d, f);
}

static chunks from;

static void take(domain *d, heap *h) {
  (void)d;
  hh_settle_ephemerons(h);
  hh_join_chunks(&from, &h->young);
  hh_join_chunks(&from, &h->old);
  hh_join_chunks(&from, &h->holed);
  while (h->apart.count > 0) {
    apart *a = &h->apart.at[--h->apart.count];
    hh_count(hh_self->figures.known, -(a->live.known + a->kept));
    hh_join_chunks(&from, &a->old);
  }
  h->lowered.count = 0;
  h->open = h->area_chunk = NULL;
  h->area = (stretch){NULL, NULL};
  hh_set_live(h, (lived){0});
  h->grown = h->since = h->loose = 0;
  h->remembered.count = h->spares.count = 0;
  for (int i = 0; h->levels && i <= DEEPEST; i++) h->levels[i].count = 0;
}

/* Takes all chunks of all heaps. Chunks with pins become old: their young objects were
   counted as promoted when they were pinned. */
static void take_all(domain *d) {
  hh_note_most_pinned();
  hh_abandon_cycle();
  hh_stranded = 0;
  each_domain(x) {
    hh_leave_area(x);
    hh_collect_new_customs(x);
  }
  each_heap(d, take);
  hh_note_pooled();
  for (chunk *c = from.first; c; c = c->next) {
    if (c->pin) hh_set_young(c, 0);
    hh_unpin(c);
    c->all = 0;
    c->judged = 0;
    hh_clear_marks(c);
    c->from = 1;
    c->marked = 0;
  }
}

/* {1 Tracing}. Domain [d] traces each heap in turn, and notes objects that another
   leaf has already. */

static void trace_leaf(domain *d, heap *h) {
  hh_trace_start(d, h);
  hh_scan_task(d, h, hh_forward);
  hh_scan_finals(d, h, hh_forward, FULL);
  hh_scan_todo(d, h, hh_forward);
  hh_trace(d);
}

static void trace_strong(domain *d) {
  hh_trace_start(d, &hh_frozen);
  caml_scan_global_roots(hh_forward, d);
  hh_scan_offers(hh_forward, d, 1);
  hh_scan_finals(d, &hh_frozen, hh_forward, FULL);
  hh_trace(d);
  d->noting = 1;
  each_domain(x) {
    hh_trace_start(d, x->leaf);
    hh_scan_domain(d, x, hh_forward);
    hh_trace(d);
  }
  each_leaf(d, trace_leaf);
  hh_trace_offers(d);
}

/* Keeps the data of ephemerons and the values of resumable tasks alive: a heap's data
   may keep another heap's keys alive, and so may a task. */
static int kept;

static void keep_data(domain *d, heap *h) {
  hh_trace_start(d, h);
  kept |= hh_scan_resumable(d, h, hh_forward);
  hh_trace(d);
  kept |= hh_keep_data(d, h);
}

static void trace_data(domain *d) {
  do {
    kept = 0;
    each_heap(d, keep_data);
  } while (kept);
}

static void take_dead(domain *d, heap *h) { (void)d; hh_take_dead(h); }

static void trace_todo(domain *d, heap *h) {
  hh_trace_start(d, h);
  hh_scan_todo(d, h, hh_forward);
  hh_trace(d);
}

static void sweep(domain *d, heap *h) {
  (void)d;
  hh_forget_lost(h);
  hh_clear_ephemerons(h);
  hh_take_dead_last(h);
  hh_sweep_customs(h, FULL);
}

/* Takes over the functions that ended domains had attached, for this domain to call. */
static void adopt_todo(domain *d) { hh_append(&d->leaf->todo, &hh_frozen.todo); }

/* Moves the entries of lists to the heaps that their objects have come to. */
static void rehome(domain *d, heap *h) {
  hh_rehome_customs(h);
  hh_rehome_ephemerons(d, h);
  hh_note_stray_finals(d, h);
}

/* Publishes an object as its owner would. */
static void publish_one(domain *d, foreign f) {
  chunk *c = Is_block(f.v) ? chunk_of(f.v) : NULL;
  if (!c || c->heap->frozen) return;
  d->leaf = c->heap;
  hh_hand_over(f.v, f.depth);
  hh_stored(d);
}

/* Publishes the noted objects, the deepest first. If a noted object leads to an object
   of a third leaf, the latter is noted at most as deep, and is published later. If a
   less deep object leads to an object published already, the latter is lowered.
   Objects published with a continuation become permanent earlier: pin.c notes the
   objects that the continuation leads to. */
static void publish_noted(domain *d) {
  heap *leaf = d->leaf;
  hh_note_offers(d);
  uint64_t depths = (uint64_t)1 << PERMANENT; /* bit n: some object is noted for depth
                                                 n */
  for (size_t i = 0; i < d->elsewhere.count; i++)
    depths |= (uint64_t)1 << d->elsewhere.at[i].depth;
  for (int depth = DEEPEST; depth > 0; depth--) {
    d->noting = depth > PERMANENT;
    for (size_t i = 0; depths >> depth & 1 && i < d->elsewhere.count; i++)
      if (d->elsewhere.at[i].depth == depth) publish_one(d, d->elsewhere.at[i]);
  }
  d->elsewhere.count = 0;
  d->leaf = leaf;
}

static void note_live(domain *d, heap *h) {
  (void)d;
  hh_set_live(h, (lived){.left = h->old.bytes, .known = h->old.bytes});
}

static void collect(domain *d) {
  take_all(d);
  hh_note_stacks();
  trace_strong(d);
  trace_data(d);
  each_heap(d, take_dead);
  adopt_todo(d);
  each_leaf(d, trace_todo);
  trace_data(d);
  hh_free_dead_stacks();
  each_heap(d, sweep);
  adopt_todo(d);
  each_heap(d, rehome);
  publish_noted(d);
  hh_take_suspended_todo(d);
  hh_settle(&from, FULL);
  from = (chunks){NULL, NULL, 0};
  each_leaf(d, note_live);
  each_leaf(d, hh_check_other);
  each_domain(x) {
    hh_check(x, "a global collection", 1);
    hh_set_nursery(x);
    hh_new_area(x);
  }
  hh_note_all_live();
  hh_note_shared_lives();
  each_domain(x) {
    x->state->requested_global_major_slice = 0;
    if (hh_callbacks_wait(x)) x->state->action_pending = 1;
  }
}

static void timed(domain *d, census *census, size_t began) {
  CAML_EV_BEGIN(EV_MAJOR);
  CAML_EV_BEGIN(EV_MAJOR_GC_STW);
  CAML_EV_BEGIN(EV_MINOR);
  collect(d);
  CAML_EV_END(EV_MINOR);
  if (census) hh_take_census(census);
  CAML_EV_END(EV_MAJOR_GC_STW);
  CAML_EV_END(EV_MAJOR);
  hh_count_major();
  atomic_fetch_add(&caml_minor_collections_count, 1);
  size_t took = hh_now_ns() - began;
  hh_note_pause(&hh_globals, took, took);
  hh_emit_counters(d);
}

/* Stops the world and collects. The pause counts for the asking domain, which waits
   for the others too. Several domains may ask at once: the first collects while the
   rest wait, and its collection serves all. */
void hh_global_collect(domain *d, census *census) {
  size_t began = hh_now_ns(), before = hh_read(hh_globals.count);
  CAML_EV_BEGIN(EV_STW_LEADER);
  hh_stop_world(d);
  if (census || hh_globals.count == before) timed(d, census, began);
  hh_start_world(d);
  CAML_EV_END(EV_STW_LEADER);
}
