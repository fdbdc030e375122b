/* Pin depths: how long pins last, and expiry at joins.

   While all pins of a chunk have the same depth, the field [same] of the chunk holds
   the depth. Usually the depth is the same: a branch publishes its stores for its
   join, and so at a single depth for a long time. The first pin of another depth makes
   a map with a byte for each word, filled with the former depth. The chunk's owner or
   a lowering domain makes the map, and the owner may pin meanwhile; in any case, no
   byte is deeper than [same] was.

   A heap lists, by depth, the chunks with pins of that depth ([levels]). At a join,
   each pin deeper than the heap's depth becomes EXPIRED: a single step for a chunk
   without a map, else a look at each byte. A list may contain chunks without need: a
   pin was lowered, the chunk was unpinned, or its record serves another chunk now.
   Needless entries do no harm: a pin deeper than the heap's depth may expire in any
   chunk of the heap. */

#include "hh.h"
#include <emmintrin.h>
#include <stdlib.h>
#include <string.h>

static void make_map(chunk *c) {
  unsigned char *map = malloc(c->bytes >> 3), *none = NULL;
  if (!map) caml_fatal_error("heap: out of memory");
  memset(map, c->same, c->bytes >> 3);
  if (!__atomic_compare_exchange_n(&c->depth, &none, map, 0, __ATOMIC_ACQ_REL,
                                   __ATOMIC_ACQUIRE))
    free(map);
}

/* Sets the depth of all words of [v], header included. */
void hh_set_depth(chunk *c, value v, int depth) {
  if (c->large || !c->pin) {
    __atomic_store_n(&c->same, (unsigned char)depth, __ATOMIC_RELAXED);
    return;
  }
  if (!c->depth) {
    if (c->same == depth) return;
    make_map(c);
  }
  hh_fill_depths(hh_depth_at(c, (value)Hp_val(v)), depth, Whsize_val(v));
}

void hh_note_pin(heap *h, chunk *c, int depth) {
  if (hh_noted(c, depth) || h->disordered) return;
  c->noted |= (uint64_t)1 << depth;
  if (depth == PERMANENT) return;
  if (!h->levels) h->levels = calloc(DEEPEST + 1, sizeof *h->levels);
  if (!h->levels) caml_fatal_error("heap: out of memory");
  hh_push(&h->levels[depth], c);
}

/* {1 Closing forks}. Two threads of a domain may fork for the same task, and the
   scheduler's threads do. The thread with the older frame may then have forked later,
   and the forks join out of order. The pins of a fork that joins too early wait for
   the joins of deeper forks. */

static int was_closed(heap *h, int level) {
  for (size_t i = 0; i < h->closed.count; i++)
    if (h->closed.at[i] == level) {
      h->closed.at[i] = h->closed.at[--h->closed.count];
      return 1;
    }
  return 0;
}

int hh_close(heap *h, int level) {
  if (h->depth != level) {
    if (!h->disordered) hh_push(&h->closed, level);
    return 0;
  }
  do h->depth--; while (was_closed(h, h->depth));
  return 1;
}

/* {1 Expiring} */

static void count_expired(chunk *c, size_t bytes) {
  c->expired += bytes;
  hh_count(hh_self->figures.unpinned, bytes);
}

static void expire_same(heap *h, chunk *c) {
  if (!hh_shared_pin(c->same)) return;
  if (c->same <= h->depth) {
    hh_note_pin(h, c, c->same);
    return;
  }
  c->same = EXPIRED;
  count_expired(c, c->pinned);
}

/* Returns a bit for each of 64 words: 1 if the word is at [depth] or deeper. */
static bits deeper(const unsigned char *at, int depth) {
  __m128i least = _mm_set1_epi8((char)depth);
  bits found = 0;
  for (int i = 0; i < 64; i += 16) {
    __m128i x = _mm_loadu_si128((const __m128i *)(at + i));
    int is = _mm_movemask_epi8(_mm_cmpeq_epi8(_mm_max_epu8(x, least), x));
    found |= (bits)is << i;
  }
  return found;
}

bits hh_deeper_at(chunk *c, size_t i, int depth) { return deeper(c->depth + 64 * i, depth); }
bits hh_expired_at(chunk *c, size_t i) { return hh_deeper_at(c, i, EXPIRED); }

#define each_block(c, i) for (size_t i = 0; i < (c)->bytes >> 9; i++) if ((c)->pin[i])

/* Lists the chunk under the depths that other domains have lowered pins to. Other
   domains may lower more pins meanwhile and set [lowered] afterwards. No such flag may
   be lost, so the bytes are read after a fence. */
static void note_lowered(heap *h, chunk *c) {
  __atomic_exchange_n(&c->lowered, 0, __ATOMIC_SEQ_CST);
  each_block(c, i)
    for (size_t j = 0; j < 64; j++) {
      int depth = c->depth[64 * i + j];
      if (c->pin[i] >> j & 1 && depth <= h->depth) hh_note_pin(h, c, depth);
    }
}

static void expire_each(heap *h, chunk *c) {
  size_t words = 0;
  each_block(c, i) {
    unsigned char *at = c->depth + 64 * i;
    bits now = c->pin[i] & deeper(at, h->depth + 1) & ~deeper(at, EXPIRED);
    words += (size_t)__builtin_popcountll(now);
    for (; now; now &= now - 1) at[__builtin_ctzll(now)] = EXPIRED;
  }
  count_expired(c, words << 3);
  if (__atomic_load_n(&c->lowered, __ATOMIC_ACQUIRE)) note_lowered(h, c);
}

/* 1 if the chunk is in [holed]; other chunks count as old. */
static int is_holed(chunk *c) {
  return c->fill == c->base && !c->large && !c->young && !c->mixed;
}

static void expire(heap *h, chunk *c) {
  if (!c->pin) return;
  size_t before = c->expired;
  if (c->depth) expire_each(h, c);
  else expire_same(h, c);
  if (c->expired > before && c->expired == c->pinned && is_holed(c)) h->loose += c->bytes;
}

/* Expires the pins listed under [depth]. A bulk-pinned chunk stays in the list until
   the bulk pin ends: a later fork may hold objects of the chunk, whatever the former
   depth, and other domains may lower the objects. */
static void expire_level(heap *h, int depth) {
  level *l = &h->levels[depth];
  size_t kept = 0;
  for (size_t i = 0; i < l->count; i++) {
    chunk *c = l->at[i];
    if (c->heap != h) continue; /* the chunk has a new owner, which lists it */
    if (c->all) {
      l->at[kept++] = c;
      continue;
    }
    c->noted &= ~((uint64_t)1 << depth);
    expire(h, c);
  }
  l->count = kept;
}

void hh_expire(heap *h) {
  if (!h->levels || h->disordered) return;
  for (int depth = h->depth + 1; depth <= DEEPEST; depth++) expire_level(h, depth);
}

/* {1 Pinning again} objects that have expired, or are pinned deeper, in a chunk with
   only pinned objects. The forks of these pins have joined, so no other heap reaches
   the objects. */

static size_t all_again(chunk *c, int depth) {
  if (c->same <= depth) return 0;
  c->same = (unsigned char)depth;
  return c->expired;
}

static size_t each_again(chunk *c, int depth) {
  size_t words = 0;
  each_block(c, i) {
    unsigned char *at = c->depth + 64 * i;
    bits now = c->pin[i] & deeper(at, depth + 1);
    if (!now) continue;
    words += (size_t)__builtin_popcountll(now & deeper(at, EXPIRED));
    for (; now; now &= now - 1) at[__builtin_ctzll(now)] = (unsigned char)depth;
  }
  return words << 3;
}

void hh_pin_again(heap *h, chunk *c, int depth) {
  if (c->expired == c->pinned) h->loose -= h->loose < c->bytes ? h->loose : c->bytes;
  size_t bytes = c->depth ? each_again(c, depth) : all_again(c, depth);
  c->expired -= bytes;
  hh_count(hh_self->figures.pinned, bytes);
  hh_note_pin(h, c, depth);
}

/* {1 Forgetting} */

static void unpin_expired(chunk *c) {
  each_block(c, i) {
    bits gone = c->pin[i] & hh_expired_at(c, i);
    size_t bytes = (size_t)__builtin_popcountll(gone) << 3;
    c->pin[i] &= ~gone;
    c->pinned -= bytes;
    c->expired -= bytes;
  }
}

void hh_forget_expired(chunk *c) {
  if (c->expired == 0) return;
  if (c->expired < c->pinned) unpin_expired(c);
  else hh_unpin(c);
}

/* Marks a live object during a cycle. A fork may pin the object again before the cycle
   decides or sweeps. If the object was made after the domain's scan, no other code
   marks the object. */
static void meet(domain *d, chunk *c, value v) {
  if (!hh_watches(d)) hh_set_mark_in(c, v, d->cycle);
  else if (d->has_scanned) hh_set_mark(c, v);
}

/* Makes a new pin map of a chunk from the mark bits. All pins of the chunk have
   expired; an object that was not marked becomes free. */
void hh_pin_marked(chunk *c) {
  domain *d = hh_self;
  int must_mark = hh_must_mark(d, c);
  size_t n = c->bytes >> 3, words, all = 0;
  memset(c->pin, 0, bits_bytes(n));
  for (size_t i = 0; (i = bits_next(c->marks, i, n, 1)) < n; i += words) {
    words = Whsize_hd(((header_t *)c->base)[i]);
    bits_set(c->pin, i, words);
    if (must_mark) meet(d, c, Val_hp(c->base + (i << 3)));
    all += words;
  }
  free(c->depth);
  c->depth = NULL;
  c->same = EXPIRED;
  c->pinned = c->expired = all << 3;
  c->packed = SPARSE;
  hh_clear_marks(c);
}

void hh_unpin(chunk *c) {
  if (c->pin) hh_count(hh_self->figures.pinned_chunks, -c->bytes);
  free(c->pin);
  free(c->depth);
  c->pin = NULL;
  c->depth = NULL;
  c->same = c->lowered = 0;
  c->noted = 0;
  hh_count(hh_self->figures.unpinned, c->pinned - c->expired);
  c->pinned = c->expired = 0;
}
