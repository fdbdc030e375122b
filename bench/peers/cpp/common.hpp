// Shared by the lab's C++ programs: inputs, sequential code, timing and output. The
// benchmarks and their results are those of the OCaml programs.
#pragma once
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>
#include "shared.hpp"

inline int64_t fib_seq(int64_t n) {
  return n < 2 ? n : fib_seq(n - 1) + fib_seq(n - 2);
}

using Rows = std::vector<std::vector<double>>;

inline Rows random_matrix(int64_t seed, int64_t n) {
  Rows m(n, std::vector<double>(n));
  for (int64_t i = 0; i < n; i++)
    for (int64_t j = 0; j < n; j++)
      m[i][j] = double(hash(uint64_t(seed * n * n + i * n + j)) % 2000) / 1000. - 1. +
                (i == j ? double(n) : 0.);
  return m;
}

inline void row_product(Rows &c, const Rows &a, const Rows &b, int64_t i) {
  const int64_t n = int64_t(b.size());
  double *target = c[i].data();
  for (int64_t k = 0; k < n; k++) {
    const double x = a[i][k];
    const double *other = b[k].data();
    for (int64_t j = 0; j < n; j++) target[j] += x * other[j];
  }
}

inline int64_t checksum(const std::vector<int64_t> &a) {
  Checksum s;
  for (int64_t x : a) s.add(x);
  return int64_t(s.sum);
}

inline int64_t checksum(const Rows &m) {
  Checksum all;
  for (const auto &row : m) {
    Checksum s;
    for (double x : row) {
      int64_t bits;
      __builtin_memcpy(&bits, &x, sizeof bits);
      s.add(bits);
    }
    all.add(int64_t(s.sum));
  }
  return int64_t(all.sum);
}

struct Args {
  std::string bench;
  int64_t n, cutoff;
  int workers;
};

inline Args parse(int argc, char **argv) {
  if (argc != 5) {
    std::fprintf(stderr, "usage: %s BENCH N CUTOFF WORKERS\n", argv[0]);
    std::exit(2);
  }
  return {argv[1], std::atoll(argv[2]), std::atoll(argv[3]), std::atoi(argv[4])};
}

// A scheduler: [fib(n, cutoff)] and [loop(n, chunk, body)].
template <class Fib, class Loop>
int measure(const Args &args, Fib fib, Loop loop) {
  auto once = [&](double &seconds, double &used) -> int64_t {
    auto timed = [&](auto body) {
      const double c = cpu(), t = wall();
      body();
      seconds = wall() - t;
      used = cpu() - c;
    };
    if (args.bench == "fib" || args.bench == "fib_nocutoff") {
      int64_t result = 0;
      const int64_t cutoff = args.bench == "fib" ? args.cutoff : 0;
      timed([&] { result = fib(args.n, cutoff); });
      return result;
    }
    if (args.bench == "for_irregular") {
      std::vector<int64_t> a(args.n);
      timed([&] {
        loop(args.n, args.cutoff, [&](int64_t i) { a[i] = fib_seq(i); });
      });
      return checksum(a);
    }
    Rows a = random_matrix(1, args.n), b = random_matrix(2, args.n);
    Rows c(args.n, std::vector<double>(args.n));
    timed([&] {
      loop(args.n, args.cutoff, [&](int64_t i) { row_product(c, a, b, i); });
    });
    return checksum(c);
  };
  double seconds, used;
  int64_t result = once(seconds, used);
  if (seconds <= 5) result = once(seconds, used);  // the first run warmed up
  std::printf("{\"seconds\": %.9f, \"cpu_s\": %.9f, \"checksum\": %lld}\n",
              seconds, used, (long long)result);
  return 0;
}
