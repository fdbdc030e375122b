/* A domain collects its leaf, without asking anybody.

   Young collections move what lives out of the young chunks; the roots are the
   domain's own and the remembered fields. Full ones move it out of the old chunks too,
   but for those in which they expect nearly all to live. What is pinned stays; a chunk
   in which something is pinned is then [holed]: its free stretches are where the domain
   allocates next.

   What global variables and C's roots hold others may reach. While there are other
   domains it is published first; a program of one domain takes them as roots, and
   its full collections know no pins. */

#include "hh.h"
#include <caml/globroots.h>
#include <caml/runtime_events.h>
#include <caml/skiplist.h>
#include <stdlib.h>

/* Of stock's globroots.c. */
extern pthread_mutex_t hh_roots_mutex; /* its static one: build.sh */
extern struct skiplist caml_global_roots, caml_global_roots_young, caml_global_roots_old;

static int lasting(size_t were, size_t kept) { return kept >= were - were / 4; }
static size_t filled(chunk *c) { return (size_t)(c->fill - c->base); }

/* What collections have put side by side stays in its place, marked, if nearly all of it
   is expected to live: a large heap takes no memory for a copy, and no time. Where many
   have died nevertheless the next full collection copies what is left. What fills a chunk
   that it was published in stays too, once all that has expired. */
static int may_stay(heap *leaf, chunk *c, scope scope) {
  if (scope == YOUNG_ONLY || c->large) return 0;
  if (c->pin && c->packed != SPARSE && c->expired == c->pinned) hh_unpin(c);
  if (c->pin) return c->expired == c->pinned && lasting(c->bytes, c->expired);
  if (c->packed == SPARSE || !lasting(c->bytes, filled(c))) return 0;
  return c->packed == PROVEN || !leaf->fading[c->packed];
}

static void make_from(heap *leaf, chunks *l, scope scope) {
  for (chunk *c = l->first; c; c = c->next) {
    c->from = 1;
    c->marked = 0;
    c->kept = 0;
    hh_clear_marks(c);
    if (may_stay(leaf, c, scope)) c->marks = calloc(1, bits_bytes(c->bytes >> 3));
  }
}

/* What to expect the next time: of what has stayed, that it fares as it did now; of what
   will be new, that it fares as what was new now and came by the same way. Returns what the next
   one will free at least. */
static size_t judge(heap *leaf, chunks *from) {
  size_t were[PROVEN + 1] = {0}, kept[PROVEN + 1] = {0}, dead = 0;
  for (chunk *c = from->first; c; c = c->next) {
    if (c->pin || c->packed == SPARSE) continue;
    were[c->packed] += filled(c);
    kept[c->packed] += c->kept;
    c->packed = lasting(filled(c), c->kept) ? PROVEN : SPARSE;
    if (c->marks && c->kept > 0 && c->packed == SPARSE) dead += c->bytes - c->kept;
  }
  for (int i = FILLED; i < PROVEN; i++)
    if (were[i] > 0) leaf->fading[i] = !lasting(were[i], kept[i]);
  return dead;
}

/* {1 After tracing} */

/* What was there before comes before the chunks that are filled now, where tracing
   goes on. */
static void settle(heap *h, chunk *c, scope scope) {
  c->from = c->mixed = 0;
  hh_set_young(c, 0);
  if (c->marks && c->pin && c->kept > 0) hh_pin_marked(c);
  else if (scope == FULL) hh_forget_expired(c);
  if (c->large) {
    if (c->marked || c->pin) hh_add_chunk_first(&h->old, c);
    else hh_free_chunk(c);
    c->marked = 0;
  } else if (c->marks && c->kept > 0)
    hh_add_chunk_first(&h->old, c);
  else if (!c->pin)
    hh_free_chunk(c);
  else {
    c->fill = c->base; /* nothing in it is walked */
    c->packed = SPARSE;
    hh_add_chunk_first(hh_has_holes(c) ? &h->holed : &h->old, c);
  }
}

void hh_settle(chunks *from, scope scope) {
  chunk *next;
  for (chunk *c = from->first; c; c = next) {
    next = c->next;
    settle(c->heap, c, scope);
  }
}

/* {1 Collections} */

static void forward_remembered(domain *d) {
  for (size_t i = 0; i < d->leaf->remembered.count; i++) {
    value *field = d->leaf->remembered.at[i];
    hh_forward(d, *field, field);
  }
  d->leaf->remembered.count = 0;
}

static void scan_list(struct skiplist *l, scanning_action f, void *data) {
  FOREACH_SKIPLIST_ELEMENT(e, l, {
    value *root = (value *)e->key;
    f(data, *root, root);
  })
}

/* Those of C: which of them hold what is young, or of this leaf, is not known. Variables
   of modules that do are remembered, or have been published. Other threads add and
   remove some meanwhile, at the end of a domain without being one. */
void hh_scan_c_roots(scanning_action f, void *data) {
  pthread_mutex_lock(&hh_roots_mutex);
  scan_list(&caml_global_roots, f, data);
  scan_list(&caml_global_roots_young, f, data);
  scan_list(&caml_global_roots_old, f, data);
  pthread_mutex_unlock(&hh_roots_mutex);
}

static void trace_roots(domain *d, scope scope, int alone) {
  hh_scan_domain(d, d, hh_forward);
  hh_scan_entered(d, hh_forward, d);
  hh_scan_todo(d, d->leaf, hh_forward);
  if (alone) {
    if (scope == FULL) caml_scan_global_roots(hh_forward, d);
    else hh_scan_c_roots(hh_forward, d);
    hh_scan_offers(hh_forward, d, 0);
  }
  if (scope == YOUNG_ONLY) forward_remembered(d);
  hh_scan_finals(d, d->leaf, hh_forward, scope);
  hh_trace(d);
  hh_scan_ephemerons(d, d->leaf, scope);
}

/* A small heap after each collection, a large one so often that the program gets on. */
static int check_due(heap *leaf) {
  if (leaf->unchecked < leaf->old.bytes / 64) return 0;
  leaf->unchecked = 0;
  return 1;
}

/* What is pinned may have died. */
static lived left_in(chunks *l, size_t dead, int depth) {
  lived n = {.left = l->bytes - dead, .depth = depth};
  for (chunk *c = l->first; c; c = c->next) {
    if (c->pinned == c->expired) n.known += c->bytes;
    n.pinned += c->pinned - c->expired;
  }
  return n;
}

static void collect(domain *d, scope scope) {
  heap *leaf = d->leaf;
  int alone = hh_alone();
  d->young_only = scope == YOUNG_ONLY;
  hh_leave_area(d);
  hh_collect_new_customs(d);
  if (scope == FULL) hh_let_expire(leaf);
  if (!alone) hh_publish_globals();
  else if (scope == FULL) hh_adopt(leaf);
  chunks from = leaf->young;
  leaf->young = (chunks){NULL, NULL, 0};
  if (scope == FULL) {
    hh_join_chunks(&from, &leaf->old);
    hh_join_chunks(&from, &leaf->holed);
    leaf->open = NULL;
    leaf->remembered.count = 0;
    hh_settle_ephemerons(leaf);
  }
  __atomic_store_n(&d->collecting, from.bytes, __ATOMIC_RELAXED);
  d->packing = scope == FULL;
  make_from(leaf, &from, scope);
  if (scope == FULL && alone) hh_note_stacks();
  hh_trace_start(d, leaf);
  trace_roots(d, scope, alone);
  if (scope == FULL) {
    hh_take_dead(leaf);
    hh_scan_todo(d, leaf, hh_forward);
    do hh_trace(d); while (hh_keep_data(d, leaf));
    hh_clear_ephemerons(leaf);
  }
  if (scope == FULL && alone) hh_free_dead_stacks();
  if (scope == FULL) hh_take_dead_last(leaf); else hh_take_young_dead_last(leaf);
  hh_finals_are_old(leaf);
  hh_sweep_customs(leaf, scope);
  size_t dead = scope == FULL ? judge(leaf, &from) : 0;
  hh_settle(&from, scope);
  __atomic_store_n(&d->collecting, 0, __ATOMIC_RELAXED);
  d->packing = 0;
  if (leaf->open) leaf->open->packed = FILLED; /* what is promoted goes there */
  leaf->since = scope == FULL ? 0 : leaf->since + leaf->grown;
  leaf->unchecked += leaf->grown;
  leaf->grown = 0;
  if (hh_finished) hh_sweep(leaf);
  hh_give_to_pool(leaf);
  if (scope == FULL || check_due(leaf))
    hh_check(d, scope == FULL ? "a full collection" : "a young collection", scope == FULL);
  if (scope == FULL) {
    hh_set_live(leaf, left_in(&leaf->old, dead, leaf->depth));
    leaf->loose = 0;
  }
  if (scope == FULL && alone) {
    hh_note_all_live();
    hh_note_shared_lives();
  }
}

/* What a full collection would look at, and may free. Of who is alone it is all there is. */
static size_t old_bytes(heap *leaf) {
  if (hh_alone()) return hh_bytes(leaf) + hh_bytes(&hh_frozen);
  size_t holed = leaf->holed.bytes;
  return leaf->old.bytes + (leaf->loose < holed ? leaf->loose : holed);
}

/* When the old ones have grown, or so much was allocated meanwhile that it costs next
   to nothing: finalisers and weak pointers wait for it. A program may spawn a domain at
   each of its steps, and is alone after each: what is frozen then lives as it did. What runs
   have left to a domain is growth. (What was pinned for forks counts as alive till it is set
   apart again, or brought back: each run of a program may be too short to be collected.) */
int hh_full_due(domain *d) {
  lived l = d->leaf->live;
  size_t old = old_bytes(d->leaf) + hh_put_off(d->leaf, &l);
  size_t live = d->leaf->task ? hh_live(&l) : d->leaf->live.left;
  if (hh_alone()) live += hh_frozen_alive();
  size_t part = hh_alone() ? 100 : 150; /* several copy at once, and hold what is shared */
  size_t threshold = live + live * caml_percent_free / part;
  int small = hh_alone() && live < hh_least_old / 4; /* a program that needs little */
  size_t least = small ? hh_least_old / 2 : hh_least_old;
  if (threshold < least) threshold = least;
  if (hh_much_held()) threshold = live + live / 4 > least / 4 ? live + live / 4 : least / 4;
  if (live < CHUNK_BYTES) live = CHUNK_BYTES;
  return old > threshold || d->leaf->since / 50 > live ||
         (hh_alone() && hh_stacks_due());
}

/* Before a fork, which may set all of it apart. */
int hh_half_due(domain *d) {
  lived l = hh_faded(d->leaf->live, d->leaf->depth);
  size_t live = hh_live(&l), bytes = old_bytes(d->leaf) + d->leaf->young.bytes;
  return bytes > live + live / 2 && bytes > hh_least_old;
}

/* [paused]: since when the program waits. A full collection is one of the young objects
   too, as its count is. */
static void timed(domain *d, scope scope, size_t paused) {
  size_t began = hh_now_ns();
  if (scope == FULL) CAML_EV_BEGIN(EV_MAJOR);
  CAML_EV_BEGIN(EV_MINOR);
  collect(d, scope);
  CAML_EV_END(EV_MINOR);
  if (scope == FULL) {
    CAML_EV_END(EV_MAJOR);
    hh_count_major();
  }
  size_t ended = hh_now_ns();
  hh_note_pause(scope == FULL ? &d->figures.full : &d->figures.young, ended - began,
                ended - paused);
  atomic_fetch_add(&caml_minor_collections_count, 1);
}

void hh_collect(domain *d, scope scope) {
  size_t began = hh_now_ns();
  hh_note_most_pinned();
  timed(d, scope, began);
  if (scope == YOUNG_ONLY && hh_full_due(d)) timed(d, FULL, began);
  hh_emit_counters(d);
  hh_set_nursery(d);
  hh_new_area(d);
  if (!hh_alone() && hh_global_due())
    d->state->requested_global_major_slice = 1;
  hh_step_in_pace(d);
  if (hh_callbacks_wait(d)) caml_set_action_pending(d->state);
}

/* Who spawns a domain at each step may never fill a nursery, while all that it and they
   leave behind is frozen. */
void hh_collect_before_spawn(domain *d) {
  if (hh_alone()) {
    if (d->leaf->grown >= d->nursery / 2 || hh_full_due(d)) hh_collect(d, YOUNG_ONLY);
  } else if (hh_cycle_due() || hh_global_due())
    hh_ask_to_collect(d);
}

/* The domain may go on in the next run's heap, and collects no other then. */
void hh_after_run(domain *d) {
  if (hh_full_due(d)) hh_ask_to_collect(d);
}
