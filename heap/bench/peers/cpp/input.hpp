// Inputs, equal to those of bench/plain's rng.ml and text.ml.
#pragma once
#include <cstdint>
#include <string_view>
#include "parallel.hpp"
#include "shared.hpp"

inline int64_t below(int64_t bound, int64_t i) {
  return int64_t(hash(uint64_t(i))) % bound;
}

inline uint64_t checksum(std::string_view word) {
  Checksum sum;
  for (unsigned char c : word) sum.add(c);
  return sum.sum;
}

// Words of 2 to 12 letters, ten in a line; a few words are frequent.
inline Array<char> text(size_t n) {
  Array<char> t(n);
  size_t at = 0;
  auto put = [&](char c) {
    if (at < n) t[at++] = c;
  };
  for (int64_t i = 0; at < n; i++) {
    const int64_t rank = below(1'000'000, i + 1) / (1 + below(10'000, i));
    const uint64_t h = hash(uint64_t(rank));
    for (int k = 0; k < 2 + rank % 11; k++)
      put(char('a' + (h >> 5 * k & 31) % 26));
    put(i % 10 == 9 ? '\n' : ' ');
  }
  return t;
}
