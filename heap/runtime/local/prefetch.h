/* Prefetching objects before tracing reads them.

   Most objects that tracing reads are in no cache, and their bits in the chunk's maps
   are not either. Tracing therefore prefetches an object, puts the object into a ring, and reads
   it some fields later, when the cache lines have arrived (Cher, Hosking, Vijaykumar,
   "Software prefetching for mark-sweep garbage collection", ASPLOS 2004: a queue in
   front of the stack). */

#ifndef HH_PREFETCH_H
#define HH_PREFETCH_H

#include "hh.h"

typedef struct { value at[SOON]; unsigned int next; } soon;

/* Prefetches [v] and its bits in [map], a map of the chunk that will be read, or NULL. */
static inline void hh_prefetch(chunk *c, value v, bits *map) {
  size_t at = hh_word_of(c, v);
  __builtin_prefetch((header_t *)v - 1);
  if (c->large) return;
  if (c->pin) __builtin_prefetch(&c->pin[at >> 6]);
  if (c->depth) __builtin_prefetch(&c->depth[at]);
  if (map) __builtin_prefetch(&map[at >> 6]);
}

/* Takes entry [i] out of the ring; 0 if the entry is empty. */
static inline value hh_asked_for(soon *s, int i) {
  value v = s->at[i];
  s->at[i] = 0;
  return v;
}

/* Prefetches a block, and returns the block that held its place in the ring, or 0. */
static inline value hh_ask_for(soon *s, value v) {
  chunk *c = chunk_of(v);
  if (!c) return 0;
  hh_prefetch(c, v, c->mark_bits);
  int i = (int)(s->next++ % SOON);
  value before = s->at[i];
  s->at[i] = v;
  return before;
}

/* 1 if [v] lies near the last two values for which the function returned 0. The
   processor prefetches neighbours by itself: objects often lie in the order of
   tracing, as in a list that was copied. */
static inline int hh_is_near(value last[2], value v) {
  for (int i = 0; i < 2; i++)
    if ((uintnat)(v - last[i] + 64) < 192) return 1;
  last[1] = last[0];
  last[0] = v;
  return 0;
}

#endif
