/* Bit maps: a bit for each word of a chunk, in 64-bit units. */

#ifndef HH_BITS_H
#define HH_BITS_H

#include <stddef.h>
#include <stdint.h>

typedef uint64_t bits;

static inline size_t bits_bytes(size_t words) { return ((words + 63) >> 6) * sizeof(bits); }

static inline int bits_at(const bits *b, size_t i) { return b[i >> 6] >> (i & 63) & 1; }

/* Sets [n] bits from [i] on; [n] is not 0. */
static inline void bits_set(bits *b, size_t i, size_t n) {
  bits *at = b + (i >> 6);
  size_t shift = i & 63, here = 64 - shift;
  if (n <= here) {
    *at |= ~(bits)0 >> (64 - n) << shift;
    return;
  }
  *at++ |= ~(bits)0 << shift;
  for (n -= here; n >= 64; n -= 64) *at++ = ~(bits)0;
  if (n > 0) *at |= ((bits)1 << n) - 1;
}

/* Clears [n] bits from [i] on. */
static inline void bits_clear(bits *b, size_t i, size_t n) {
  for (size_t end = i + n; i < end; i++) b[i >> 6] &= ~((bits)1 << (i & 63));
}

/* Returns the first place from [i] on that holds [bit], or [end] if no place before
   [end] does. */
static inline size_t bits_next(const bits *b, size_t i, size_t end, int bit) {
  const bits turned = bit ? 0 : ~(bits)0;
  while (i < end) {
    bits rest = (b[i >> 6] ^ turned) >> (i & 63);
    if (rest) {
      i += (size_t)__builtin_ctzll(rest);
      return i < end ? i : end;
    }
    i = (i | 63) + 1;
  }
  return end;
}

/* Finds the first stretch of zeros, from [*i] on, that contains a whole unit of 64
   bits. The map has [end] bits, in whole units. On entry, either bit [*i] is 1 or [*i]
   is the beginning of a unit. Returns 0 if no stretch is found; else the stretch is
   [*i] up to but not including [*to]. */
static inline int bits_gap(const bits *b, size_t *i, size_t *to, size_t end) {
  size_t u = *i >> 6, first = u, n = end >> 6;
  while (u < n && b[u]) u++;
  if (u == n) return 0;
  *i = u << 6;
  if (u > first) *i -= (size_t)__builtin_clzll(b[u - 1]);
  while (u < n && !b[u]) u++;
  *to = u << 6;
  if (u < n) *to += (size_t)__builtin_ctzll(b[u]);
  return 1;
}

#endif
