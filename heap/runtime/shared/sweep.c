/* Sweeping: unpins the objects that a cycle (cycle.c) has found dead. */

#include "hh.h"
#include <stdlib.h>
#include <string.h>

/* {1 In a local heap} */

static int dead(value v) {
  chunk *c = chunk_of(v);
  return c && c->judged && c->mark_bits_in == hh_cycle && !c->all &&
         hh_shared_pin(hh_own_pin_of(c, v)) && !hh_has_mark(c, v);
}

/* Unpins the unmarked objects of a chunk, 64 words at a time; returns the bytes. A
   marked object has all its bits set in [mark_bits], an unmarked object has none. Objects
   published since the cycle began are marked, and so are the live objects that were
   pinned again around holes (bulk_pin.c). */
static size_t unpin_unmarked(chunk *c) {
  size_t words = 0;
  for (size_t i = 0; i < c->bytes >> 9; i++) {
    bits gone = c->pin[i] & ~c->mark_bits[i];
    if (gone && c->depth) gone &= ~hh_expired_at(c, i);
    if (!gone) continue;
    c->pin[i] &= ~gone;
    words += (size_t)__builtin_popcountll(gone);
  }
  return words << 3;
}

/* 1 if only pinned objects were left in the chunk. */
static int was_holed(chunk *c) { return !c->large && c->fill == c->base; }

/* Unpins the dead objects of a chunk; returns the bytes. */
static size_t unpin_dead(chunk *c) {
  if (c->large) {
    if (!dead(Val_hp(c->base))) return 0;
    hh_count(hh_self->figures.swept, c->bytes);
    hh_unpin(c);
    return c->bytes;
  }
  if (c->all || (!c->depth && c->same == EXPIRED)) return 0;
  size_t freed = unpin_unmarked(c);
  c->pinned -= freed;
  hh_count(hh_self->figures.swept, c->pinned == 0 && was_holed(c) ? c->bytes : freed);
  hh_count(hh_self->figures.unpinned, freed);
  if (c->pinned == 0) hh_unpin(c);
  return freed;
}

static void settle(heap *h, chunk *c) {
  if (c->pin) hh_add_chunk(was_holed(c) && hh_has_holes(c) ? &h->holed : &h->old, c);
  else if (was_holed(c) || c->large) hh_free_chunk(c);
  else hh_add_chunk(&h->old, c);
}

/* Lowers the estimate of live bytes: the last full collection counted every pinned
   object as alive. */
static void lived_less(lived *l, size_t dead) {
  if (dead > l->pinned) dead = l->pinned;
  l->pinned -= dead;
  l->left -= dead < l->left ? dead : l->left;
}

static void sweep(heap *h, chunks *l) {
  chunks all = *l;
  size_t freed = 0;
  *l = (chunks){NULL, NULL, 0};
  for (chunk *c = all.first, *next; c; c = next) {
    next = c->next;
    if (c->pin && c->judged && c->mark_bits_in == hh_cycle) {
      freed += unpin_dead(c);
      c->judged = 0;
      settle(h, c);
    } else
      hh_add_chunk(l, c);
  }
  lived_less(&h->live, freed);
}

/* Drops the fields of dead objects from the remembered set: other objects may be
   allocated there before the next collection. */
static void forget_dead_fields(heap *h) {
  size_t kept = 0;
  for (size_t i = 0; i < h->remembered.count; i++)
    if (!dead((value)h->remembered.at[i])) h->remembered.at[kept++] = h->remembered.at[i];
  h->remembered.count = kept;
}

/* Sweeps a local heap. Call right after a collection of the heap, or while no domain
   runs there. */
void hh_sweep(heap *h) {
  if (h->swept_for == hh_cycle) return;
  h->swept_for = hh_cycle;
  forget_dead_fields(h);
  hh_drop_customs(h, dead);
  hh_drop_ephemerons(h, dead);
  hh_take_swept_last(h, dead);
  chunks holed = h->holed;
  h->holed = (chunks){NULL, NULL, 0};
  sweep(h, &h->old);
  sweep(h, &holed);
  hh_join_chunks(&h->holed, &holed);
}

/* {1 In the shared heap} */

void hh_judge_frozen(void) {
  pthread_mutex_lock(&hh_frozen_lock);
  hh_judge(&hh_frozen);
  hh_judge(&hh_pool);
  pthread_mutex_unlock(&hh_frozen_lock);
}

static size_t all_marked_in(chunk *c) {
  size_t n = 0, units = bits_bytes(c->bytes >> 3) / sizeof(bits);
  if (c->large) return *c->mark_bits ? c->bytes : 0;
  for (size_t i = 0; i < units; i++) n += (size_t)__builtin_popcountll(c->mark_bits[i]);
  return n << 3;
}

/* Gives a frozen chunk to the leaf [h]; the marked objects become permanently pinned.
   A domain that looks an object up meanwhile finds the chunk frozen, or the object
   pinned. */
static void take_over(heap *h, chunk *c, size_t marked) {
  hh_unpin(c);
  hh_count(hh_self->figures.swept, c->bytes - marked);
  c->same = PERMANENT;
  c->pinned = marked;
  hh_count(hh_self->figures.pinned, marked);
  if (marked > 0) {
    size_t n = bits_bytes(c->bytes >> 3);
    if (!(c->pin = malloc(n))) caml_fatal_error("heap: out of memory");
    memcpy(c->pin, c->mark_bits, n);
    hh_count(hh_self->figures.pinned_chunks, c->bytes);
  }
  if (!c->large) c->fill = c->base;
  c->packed = SPARSE;
  c->judged = 0;
  hh_clear_marks(c);
  __atomic_store_n(&c->heap, h, __ATOMIC_RELEASE);
}

enum { GOES = 2 }; /* value of [judged]: the chunk moves to a leaf */

static void choose(chunks *l) {
  for (chunk *c = l->first; c; c = c->next)
    if (c->judged && c->mark_bits_in == hh_cycle && all_marked_in(c) < c->bytes / 2) c->judged = GOES;
}

static int dead_there(value v) {
  chunk *c = chunk_of(v);
  return c->judged == GOES && !hh_has_mark(c, v);
}

/* Custom blocks and ephemerons follow their chunks to the new heap. */
static void rehome(domain *d) {
  hh_rehome_customs(&hh_frozen);
  hh_rehome_ephemerons(d, &hh_frozen);
  d->elsewhere.count = 0; /* the objects are published already */
}

void hh_sweep_frozen(domain *d) {
  chunks all = {NULL, NULL, 0}, taken = {NULL, NULL, 0};
  pthread_mutex_lock(&hh_frozen_lock);
  choose(&hh_frozen.old);
  hh_drop_customs(&hh_frozen, dead_there);
  hh_join_chunks(&all, &hh_frozen.old);
  for (chunk *c = all.first, *next; c; c = next) {
    next = c->next;
    int goes = c->judged == GOES;
    if (goes) take_over(d->leaf, c, all_marked_in(c));
    hh_add_chunk(goes ? &taken : &hh_frozen.old, c);
  }
  rehome(d);
  sweep(&hh_pool, &hh_pool.holed);
  hh_note_pooled();
  pthread_mutex_unlock(&hh_frozen_lock);
  for (chunk *c = taken.first, *next; c; c = next) {
    next = c->next;
    if (!c->pin) hh_free_chunk(c);
    else hh_add_chunk_first(!c->large && hh_has_holes(c) ? &d->leaf->holed : &d->leaf->old, c);
  }
}
