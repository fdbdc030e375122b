/* Asking for memory before it is looked at.

   Most of what tracing looks at is in no cache, and neither is what the chunk's maps say of
   it. So it is asked for, put into a ring, and looked at some fields later, when it has
   come (Cher, Hosking, Vijaykumar, "Software prefetching for mark-sweep garbage
   collection", ASPLOS 2004: a queue in front of the stack). */

#ifndef HH_SOON_H
#define HH_SOON_H

#include "hh.h"

typedef struct { value at[SOON]; unsigned int next; } soon;

/* [map]: one of the chunk's that will be looked at, or NULL. */
static inline void hh_prefetch(chunk *c, value v, bits *map) {
  size_t at = hh_word_of(c, v);
  __builtin_prefetch((header_t *)v - 1);
  if (c->large) return;
  if (c->pin) __builtin_prefetch(&c->pin[at >> 6]);
  if (c->depth) __builtin_prefetch(&c->depth[at]);
  if (map) __builtin_prefetch(&map[at >> 6]);
}

/* The i-th; 0 if there is none. */
static inline value hh_asked_for(soon *s, int i) {
  value v = s->at[i];
  s->at[i] = 0;
  return v;
}

/* A block; returns one that has been asked for, or 0. */
static inline value hh_ask_for(soon *s, value v) {
  chunk *c = chunk_of(v);
  if (!c) return 0;
  hh_prefetch(c, v, c->seen);
  int i = (int)(s->next++ % SOON);
  value before = s->at[i];
  s->at[i] = v;
  return before;
}

/* Is v next to one of the last two that were not? What lies in the order in which it is
   met, as a list that was copied does, the processor asks for by itself. */
static inline int hh_is_near(value last[2], value v) {
  for (int i = 0; i < 2; i++)
    if ((uintnat)(v - last[i] + 64) < 192) return 1;
  last[1] = last[0];
  last[0] = v;
  return 0;
}

#endif
