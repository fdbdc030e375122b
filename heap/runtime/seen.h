/* What a cycle has met.

   A chunk's map [seen] has a bit for each word, set for all words of an object that was
   met in the present cycle; the one of a large object has one bit. It belongs to a cycle
   by its number, and is cleared when it is first used in another. Bits are set by whoever
   marks, publishes or scans, atomically. */

#ifndef HH_SEEN_H
#define HH_SEEN_H

#include "hh.h"

void hh_renew_seen(chunk *); /* for this cycle: empty */

static inline bits *hh_seen_map(chunk *c) {
  if (__atomic_load_n(&c->seen_in, __ATOMIC_ACQUIRE) != hh_cycle) hh_renew_seen(c);
  return c->seen;
}

static inline size_t hh_seen_place(chunk *c, value v) {
  return c->large ? 0 : hh_word_of(c, (value)Hp_val(v));
}

static inline void hh_clear_seen(bits *b, size_t i) {
  __atomic_fetch_and(&b[i >> 6], ~((bits)1 << (i & 63)), __ATOMIC_RELAXED);
}

/* Of n bits from i on, those in its unit. */
static inline bits hh_bits_from(size_t i, size_t n) {
  return (n < 64 ? ((bits)1 << n) - 1 : ~(bits)0) << (i & 63);
}

static inline void hh_set_all_seen(bits *b, size_t i, size_t n) {
  for (size_t end = i + n; i < end; i = (i | 63) + 1)
    __atomic_fetch_or(&b[i >> 6], hh_bits_from(i, end - i), __ATOMIC_RELAXED);
}

/* 1 if the first was not set. What is set already, as that of what all domains have, costs
   no domain its cache line; of the others most have all in one unit. */
static inline int hh_set_seen(bits *b, size_t i, size_t n) {
  bits one = (bits)1 << (i & 63);
  if (__atomic_load_n(&b[i >> 6], __ATOMIC_RELAXED) & one) return 0;
  if (__atomic_fetch_or(&b[i >> 6], hh_bits_from(i, n), __ATOMIC_RELAXED) & one) return 0;
  size_t here = 64 - (i & 63);
  if (n > here) hh_set_all_seen(b, i + here, n - here);
  return 1;
}

/* Nothing that is in it has to be met in this cycle: a heap is scanned before whoever has
   been scanned allocates there, and so all of it is younger than that. */
static inline int hh_all_met(chunk *c) { return c->met_in == hh_cycle; }

/* 1 if it was not. A continuation's field is marked when its stack has been scanned. */
static inline int hh_mark(chunk *c, value v) {
  if (hh_all_met(c)) return 0;
  size_t n = c->large || Tag_val(v) == Cont_tag ? 1 : Whsize_val(v);
  return hh_set_seen(hh_seen_map(c), hh_seen_place(c, v), n);
}

static inline value hh_whole(value v) {
  if (Tag_val(v) == Infix_tag) v -= Infix_offset_val(v);
  return v;
}

/* What has been met and is still to be traced. */
static inline void hh_push_grey(greys *g, value v) {
  if (Tag_val(v) < No_scan_tag || is_ephemeron(v)) hh_push(g, ((grey){v, 0}));
}

/* What is pinned there now may have to be; it does have to. */
static inline int hh_may_be_met(domain *d, chunk *c) { return c->judged || hh_watches(d); }
static inline int hh_must_be_met(domain *d, chunk *c) {
  return hh_may_be_met(d, c) && !hh_all_met(c);
}

/* So others have been pinned there: of one more as deep nothing but that it is has to be said. */
static inline int hh_takes_more(domain *d, chunk *c, const unsigned char *depths, int depth) {
  return hh_noted(c, depth) && (depths || c->same == depth) && !hh_must_be_met(d, c);
}

/* Of what is shared. */
static inline int hh_met(chunk *c, value v) {
  if (hh_all_met(c)) return 1;
  return __atomic_load_n(&c->seen_in, __ATOMIC_ACQUIRE) == hh_cycle && hh_seen(c, hh_whole(v));
}

#endif
