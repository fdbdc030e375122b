/* Collecting a domain's local heap ([leaf]), without asking other domains.

   A young collection copies the live objects out of the young chunks; its roots are
   the domain's roots and the remembered set. A full collection also copies out of the
   old chunks, except from chunks where nearly all objects are expected to live: there
   the objects are marked in place. A chunk with pinned objects becomes [holed]: the
   domain allocates in its free stretches next.

   Other domains may reach the objects that global variables and C roots hold. While
   there are other domains, a collection publishes these objects first. In a program
   with a single heap, global variables and C roots are roots of the collection, and a
   full collection unpins everything. */

#include "hh.h"
#include <caml/globroots.h>
#include <caml/runtime_events.h>
#include <caml/skiplist.h>
#include <stdlib.h>

/* Variables of stock's globroots.c. */
extern pthread_mutex_t hh_roots_mutex; /* static there; build.sh renames it */
extern struct skiplist caml_global_roots, caml_global_roots_young, caml_global_roots_old;

static int lasting(size_t were, size_t kept) { return kept >= were - were / 4; }
static size_t filled(chunk *c) { return (size_t)(c->fill - c->base); }

/* 1 if the objects of a chunk stay in place and are marked, instead of copied. A chunk
   that a collection has packed may stay if nearly all objects are expected to live: a
   large heap then needs neither time nor memory for a copy. If many have died
   nevertheless, the next full collection copies the rest. A chunk nearly filled by
   pinned objects may stay too, once all its pins have expired. */
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

/* Predicts which chunks the next full collection may leave in place: a chunk that
   stayed and lost few objects may stay again; new chunks may stay if, of the chunks
   that were new now and packed in the same way, few objects died. Returns the bytes
   of dead objects in the chunks that stayed, which the next full collection frees at
   least. */
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

/* Files a chunk after tracing. The chunk goes to the front of the list, since tracing
   goes on in the chunks at the end. */
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
    c->fill = c->base; /* no walk over the objects of the chunk */
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

/* Visits the roots of C code. The lists do not tell which roots hold young objects, or
   objects of this leaf. Module variables are in other lists: stores have remembered or
   published their values. Threads without a domain may add and remove roots meanwhile,
   at the end of a domain. */
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

/* 1 if the verifier should run: after each collection of a small heap, and less often
   for a large heap, so that the program gets on. */
static int check_due(heap *leaf) {
  if (leaf->unchecked < leaf->old.bytes / 64) return 0;
  leaf->unchecked = 0;
  return 1;
}

/* The live bytes after a full collection. Pinned objects count as alive, though they
   may be dead. */
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
  /* survivors of young collections are copied there */
  if (leaf->open) leaf->open->packed = FILLED;
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

/* Bytes that a full collection would look at and may free; for the only heap, all
   bytes. */
static size_t old_bytes(heap *leaf) {
  if (hh_alone()) return hh_bytes(leaf) + hh_bytes(&hh_frozen);
  size_t holed = leaf->holed.bytes;
  return leaf->old.bytes + (leaf->loose < holed ? leaf->loose : holed);
}

/* {1 What makes a full collection due}: a function for each row of the table in
   README.md. */

typedef struct { size_t old, live; } sizes;

/* The old bytes of the leaf, and the part of them that counts as alive. In a program
   with a single heap, the frozen bytes count as alive: the program may spawn a domain
   at each step, and be alone after each. In a domain's own heap, the heaps merged
   after runs do not count as alive: each run may be too short for a collection of its
   own. Bytes pinned for forks that have joined count as alive here, until a fork
   ([hh_half_due]) or the end of a bulk pin fades them ([hh_faded]). */
static sizes sizes_of(domain *d) {
  lived l = d->leaf->live;
  size_t old = old_bytes(d->leaf) + hh_put_off(d->leaf, &l);
  size_t live = d->leaf->task ? hh_live(&l) : d->leaf->live.left;
  return (sizes){old, live + (hh_alone() ? hh_frozen_alive() : 0)};
}

static size_t larger(size_t a, size_t b) { return a > b ? a : b; }

/* Old bytes at which the leaf is collected in full. */
static size_t old_limit(size_t live) {
  size_t part = hh_alone() ? 100 : 150; /* other domains copy and hold shared objects
                                           meanwhile */
  /* a program that needs little memory */
  int small = hh_alone() && live < hh_least_old / 4;
  size_t least = small ? hh_least_old / 2 : hh_least_old;
  if (hh_much_held()) return larger(live + live / 4, least / 4);
  return larger(live + live * caml_percent_free / part, least);
}

static int old_has_grown(sizes s) { return s.old > old_limit(s.live); }

/* 1 if the domain has allocated 50 times the live bytes, so that a full collection
   costs next to nothing. Finalisers and weak pointers wait for the collection. */
static int much_was_allocated(domain *d, sizes s) {
  return d->leaf->since / 50 > larger(s.live, CHUNK_BYTES);
}

static int stacks_have_doubled(void) { return hh_alone() && hh_stacks_due(); }

int hh_full_due(domain *d) {
  sizes s = sizes_of(d);
  return old_has_grown(s) || much_was_allocated(d, s) || stacks_have_doubled();
}

/* 1 if a full collection is worth the time before a fork, which may bulk-pin the heap. */
int hh_half_due(domain *d) {
  lived l = hh_faded(d->leaf->live, d->leaf->depth);
  size_t live = hh_live(&l), bytes = old_bytes(d->leaf) + d->leaf->young.bytes;
  return bytes > live + live / 2 && bytes > hh_least_old;
}

/* Collects and notes the pause. [paused]: when the program began to wait. A full
   collection also counts as a young collection. */
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

/* Called before a domain is spawned. A program that spawns a domain at each step may
   never fill a nursery, while the objects of all ended domains stay in the shared
   heap. */
void hh_collect_before_spawn(domain *d) {
  if (hh_alone()) {
    if (d->leaf->grown >= d->nursery / 2 || hh_full_due(d)) hh_collect(d, YOUNG_ONLY);
  } else if (hh_cycle_due() || hh_global_due())
    hh_ask_to_collect(d);
}

/* Called after a run. The domain may go on in the next run's heap, and would not
   collect its own heap then. */
void hh_after_run(domain *d) {
  if (hh_full_due(d)) hh_ask_to_collect(d);
}
