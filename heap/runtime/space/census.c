/* Counting live objects and free memory, for `Gc.stat`: [hh_take_census] walks all
   chunks.

   Call right after a collection of everything, with the world stopped or while alone.
   The walk changes no heap.

   After such a collection, an old chunk is filled with live objects side by side. In a
   chunk with only pinned objects, the pin map shows the objects: each run of pinned
   words is a sequence of objects. Words without an object are free if allocation may
   go on there, else a fragment: the end of a chunk that was left, the rest of a large
   object's chunk, a hole too short to be used. */

#include "hh.h"

static void add_free(census *n, size_t words) {
  if (words < Wsize_bsize(LEAST_HOLE)) {
    n->fragments += words;
    return;
  }
  n->free_words += words;
  n->free_blocks++;
  if (words > n->largest_free) n->largest_free = words;
}

static void add_object(census *n, value v) {
  n->live_blocks++;
  n->live_words += Whsize_val(v);
}

static int lives(chunk *c, value v) {
  return !hh_left_dead(c, v) && Color_hd(Hd_val(v)) != GAP_COLOUR;
}

/* Counts the objects of a filled chunk; returns the words walked. */
static size_t walk(census *n, chunk *c) {
  char *p = c->base;
  for (; p < c->fill; p += Bhsize_hp(p))
    if (lives(c, Val_hp(p))) add_object(n, Val_hp(p));
    else n->fragments += Whsize_hp(p);
  return Wsize_bsize((size_t)(p - c->base));
}

/* Counts the pinned objects and the free stretches between pinned objects. */
static void walk_pins(census *n, chunk *c) {
  size_t words = c->bytes >> 3, from = 0;
  for (size_t i = 0; c->pin && i < words; i++)
    if (bits_at(c->pin, i)) {
      value v = Val_hp(c->base + (i << 3));
      add_free(n, i - from);
      add_object(n, v);
      i += Wosize_val(v);
      from = i + 1;
    }
  add_free(n, words - from);
}

static void of_chunk(census *n, chunk *c) {
  n->chunks++;
  if (c->fill == c->base) {
    walk_pins(n, c);
    return;
  }
  size_t rest = (c->bytes >> 3) - walk(n, c);
  if (c == c->heap->open) add_free(n, rest);
  else n->fragments += rest;
}

void hh_take_census(census *n) {
  *n = (census){.words = Wsize_bsize(hh_held())};
  for (size_t i = 0; i < hh_chunks_ever();) {
    chunk *c = hh_chunk_at[i];
    if (c && c->heap != &hh_cells) of_chunk(n, c);
    i += c ? c->bytes >> CHUNK_LOG : 1;
  }
}
