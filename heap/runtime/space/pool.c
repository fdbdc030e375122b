/* The pool: partly free chunks that any domain may take for allocation.

   A permanently pinned object stays in place until a cycle finds it dead. A leaf whose
   tasks are stolen, or that sends messages, ends up with a few pinned words in nearly
   every chunk. The rest of such a chunk is free, but only for its owner, and the owner
   may not need the room, while every branch begins in fresh chunks. Therefore a leaf,
   after a collection, gives its partly free chunks to the pool, except for a nursery's
   worth; and a leaf that needs a chunk takes one from the pool before a fresh one.

   Only the sweeper cares which heap owns a permanent pin. A chunk in the pool belongs
   to all domains, like the shared heap, and both are swept together. No list of the
   former owner has an object of the chunk.

   Chunks enter and leave the pool under [hh_frozen_lock], and during a cycle only by
   these rules:
   - a domain gives a chunk only after SYNC1, when its chunks are judged as the pool's
     are;
   - a domain takes a chunk only after its scan. Another domain has been scanned, and
     the chunk's mark bits may tell that private objects of that domain were marked, or
     that the whole chunk was.
   - a chunk that is still to be swept stays with its sweeper. */

#include "hh.h"

heap hh_pool = {.frozen = 1};
static _Atomic size_t pooled; /* free bytes in the pool */

size_t hh_pooled(void) { return pooled; }

static size_t room_in(chunk *c) { return c->bytes - c->pinned; }

static int may_give(void) { return !hh_marking || hh_watches(hh_self); }
static int may_take(void) { return !hh_marking || (hh_watches(hh_self) && hh_self->has_scanned); }

/* 1 if the last cycle has decided about the chunk, and the sweep is still to come. */
static int waits(chunk *c) { return c->judged && !hh_marking; }

/* {1 Giving} */

/* 1 if every pin of the chunk is permanent. While the chunk is listed for a join, the
   answer is 0 without a look at the map: a leaf may have hundreds of such chunks at
   each collection. */
static int for_good(chunk *c) {
  if (!c->depth) return c->same == PERMANENT;
  if (c->noted & ~((uint64_t)1 << PERMANENT)) return 0;
  for (size_t i = 0; i < c->bytes >> 9; i++)
    if (c->pin[i] & hh_deeper_at(c, i, PERMANENT + 1)) return 0;
  return 1;
}

/* 1 if the chunk may enter the pool: three quarters are free, the owner has only
   permanently pinned objects there, and no list of the heap names an object there. */
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

/* Marks the chunks that hold objects with finalisers, ephemerons or custom blocks: the
   lists of a heap are swept together with the chunks. */
static void mark_weak_and_final(heap *h) {
  stay_customs(h, &h->young_customs);
  stay_customs(h, &h->old_customs);
  stay(h, &h->young_ephemerons);
  stay(h, &h->old_ephemerons);
  stay_finals(h, &h->first);
  stay_finals(h, &h->last);
  stay_finals(h, &h->todo);
}

/* 1 if these lists are so long that a walk over them costs more than a walk over the
   chunks. */
static int much_is_weak_or_final(heap *h) {
  size_t n = h->young_customs.count + h->old_customs.count + h->young_ephemerons.count +
             h->old_ephemerons.count + h->first.count + h->last.count + h->todo.count;
  return n > h->holed.bytes / 4096;
}

/* Chooses the chunks to give; keeps a nursery's worth. */
static chunks choose(heap *leaf) {
  chunks all = leaf->holed, going = {NULL, NULL, 0};
  leaf->holed = (chunks){NULL, NULL, 0};
  mark_weak_and_final(leaf);
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
  if (leaf->holed.bytes <= hh_nursery_bytes || hh_alone() || much_is_weak_or_final(leaf)) return;
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

/* {1 Counting}, after a sweep or when the pool was emptied; with the lock, or alone. */

void hh_note_pooled(void) {
  size_t n = 0;
  for (chunk *c = hh_pool.holed.first; c; c = c->next) n += room_in(c);
  pooled = n;
}
