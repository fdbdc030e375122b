/* The pool: chunks for whoever needs room.

   What was published for good stays where it is until a cycle finds it dead: a few words
   in nearly every chunk of a leaf whose tasks are stolen, or that hands messages over. All
   the rest of such a chunk is free, but only for its owner, who may have no need of it, while
   every branch begins in fresh ones. So a leaf gives up what it has of these, but for a
   nursery's worth, after a collection; and whoever wants a chunk takes one of them before a
   fresh one.

   What is left in a chunk of the pool is pinned for good, so that whose it is makes no
   difference to anybody but to who sweeps it. It is everybody's meanwhile, as what is frozen
   is, and swept with that. No list of its former owner's has any of it. Chunks come and go
   under [hh_frozen_lock], while no cycle marks, or by who has greeted it: his chunks have been
   judged, as those of the pool have. Nor does who has not been scanned yet take one meanwhile:
   somebody has, and it may say of his private objects there, or of all, that they have been
   met. What is still to be swept stays with who has to do that. */

#include "hh.h"

heap hh_pool = {.frozen = 1};
static _Atomic size_t pooled; /* bytes that are free in it */

size_t hh_pooled(void) { return pooled; }

static size_t room_in(chunk *c) { return c->bytes - c->pinned; }

static int may_give(void) { return !hh_marking || hh_watches(hh_self); }
static int may_take(void) { return !hh_marking || (hh_watches(hh_self) && hh_self->has_scanned); }

/* Judged by the last cycle, and not swept yet. */
static int waits(chunk *c) { return c->judged && !hh_marking; }

/* {1 Giving} */

/* While it is noted for a join something may be pinned until then, and its map need not be
   looked at: a leaf may have hundreds of these, at each collection. */
static int for_good(chunk *c) {
  if (!c->depth) return c->same == PERMANENT;
  if (c->noted & ~((uint64_t)1 << PERMANENT)) return 0;
  for (size_t i = 0; i < c->bytes >> 9; i++)
    if (c->pin[i] & hh_deeper_at(c, i, PERMANENT + 1)) return 0;
  return 1;
}

/* Its owner has nothing else there, and no task of others lowers it. */
static int may_go(chunk *c) {
  return c->pin && !c->all && !c->mixed && !c->marked && c->expired == 0 &&
         c->pinned < c->bytes / 4 && for_good(c);
}

static void stays(heap *h, value v) {
  chunk *c = chunk_of(v);
  if (c && c->heap == h && !c->large) c->marked = 1;
}

static void stay(heap *h, values *l) {
  for (size_t i = 0; i < l->count; i++) stays(h, l->at[i]);
}

static void stay_customs(heap *h, customs *l) {
  for (size_t i = 0; i < l->count; i++) stays(h, l->at[i].block);
}

static void stay_finals(heap *h, final_list *l) {
  for (size_t i = 0; i < l->count; i++) stays(h, l->at[i].val);
}

/* What is told of objects is swept with the chunk that they are in. */
static void mark_told(heap *h) {
  stay_customs(h, &h->young_customs);
  stay_customs(h, &h->old_customs);
  stay(h, &h->young_ephemerons);
  stay(h, &h->old_ephemerons);
  stay_finals(h, &h->first);
  stay_finals(h, &h->last);
  stay_finals(h, &h->todo);
}

/* To go through that costs no more than to go through the chunks. */
static int much_is_told(heap *h) {
  size_t n = h->young_customs.count + h->old_customs.count + h->young_ephemerons.count +
             h->old_ephemerons.count + h->first.count + h->last.count + h->todo.count;
  return n > h->holed.bytes / 4096;
}

/* What may go, but for a nursery's worth. */
static chunks choose(heap *leaf) {
  chunks all = leaf->holed, going = {NULL, NULL, 0};
  leaf->holed = (chunks){NULL, NULL, 0};
  mark_told(leaf);
  for (chunk *c = all.first, *next; c; c = next) {
    next = c->next;
    hh_add_chunk(leaf->holed.bytes >= hh_nursery_bytes && may_go(c) ? &going : &leaf->holed, c);
    c->marked = 0;
  }
  return going;
}

static void give(heap *leaf, chunk *c) {
  if (waits(c)) {
    hh_add_chunk(&leaf->holed, c);
    return;
  }
  c->noted &= (uint64_t)1 << PERMANENT;
  c->heap = &hh_pool;
  pooled += room_in(c);
  hh_add_chunk_first(&hh_pool.holed, c);
}

void hh_give_to_pool(heap *leaf) {
  if (leaf->holed.bytes <= hh_nursery_bytes || hh_alone() || much_is_told(leaf)) return;
  chunks going = choose(leaf);
  if (!going.first) return;
  pthread_mutex_lock(&hh_frozen_lock);
  if (!may_give()) hh_join_chunks(&leaf->holed, &going);
  for (chunk *c = going.first, *next; c; c = next) {
    next = c->next;
    give(leaf, c);
  }
  pthread_mutex_unlock(&hh_frozen_lock);
}

/* {1 Taking} */

static chunk *take(heap *leaf) {
  chunk *c = hh_pool.holed.first;
  if (!c || waits(c) || !may_take()) return NULL;
  hh_pool.holed.first = c->next;
  if (!c->next) hh_pool.holed.last = NULL;
  hh_pool.holed.bytes -= c->bytes;
  pooled -= room_in(c);
  c->heap = leaf;
  return c;
}

chunk *hh_take_from_pool(heap *leaf) {
  if (pooled == 0) return NULL;
  pthread_mutex_lock(&hh_frozen_lock);
  chunk *c = take(leaf);
  pthread_mutex_unlock(&hh_frozen_lock);
  return c;
}

/* {1 When it has been swept, or emptied}, with the lock or alone. */

void hh_note_pooled(void) {
  size_t n = 0;
  for (chunk *c = hh_pool.holed.first; c; c = c->next) n += room_in(c);
  pooled = n;
}
