// Shared by the C++ programs: inputs, sequential code, timing and output. The
// benchmarks and their results are those of the OCaml programs.
#pragma once
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <functional>
#include <string>
#include <vector>

inline int64_t fib_seq(int64_t n) {
  return n < 2 ? n : fib_seq(n - 1) + fib_seq(n - 2);
}

using Rows = std::vector<std::vector<double>>;

inline Rows random_matrix(int64_t seed, int64_t n) {
  auto hash = [](int64_t i) {
    const uint64_t mask = (uint64_t{1} << 63) - 1;  // OCaml's integers
    auto mul = [&](uint64_t a, uint64_t b) { return (a * b) & mask; };
    uint64_t z = mul(uint64_t(i), 0x1e3779b97f4a7c15u);
    z = mul(z ^ (z >> 30), 0x3f58476d1ce4e5b9u);
    z = mul(z ^ (z >> 27), 0x14d049bb133111ebu);
    return int64_t((z ^ (z >> 31)) & (mask >> 1));
  };
  Rows m(n, std::vector<double>(n));
  for (int64_t i = 0; i < n; i++)
    for (int64_t j = 0; j < n; j++)
      m[i][j] = double(hash(seed * n * n + i * n + j) % 2000) / 1000. - 1. +
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

// The checksums of the OCaml lab, in 63-bit integers, kept non-negative.
struct Sum {
  uint64_t acc = 17;
  void add(uint64_t x) { acc = (acc * 31 + x) & ((uint64_t{1} << 62) - 1); }
};

inline int64_t checksum(const std::vector<int64_t> &a) {
  Sum s;
  for (int64_t x : a) s.add(uint64_t(x));
  return int64_t(s.acc);
}

inline int64_t checksum(const Rows &m) {
  Sum all;
  for (const auto &row : m) {
    Sum s;
    for (double x : row) {
      uint64_t bits;
      __builtin_memcpy(&bits, &x, sizeof bits);
      s.add(bits);
    }
    all.add(s.acc);
  }
  return int64_t(all.acc);
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
  auto once = [&](double &seconds, double &cpu) -> int64_t {
    std::function<int64_t()> finish;
    auto timed = [&](auto body) {
      std::timespec c0, c1;
      clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &c0);
      auto start = std::chrono::steady_clock::now();
      body();
      auto end = std::chrono::steady_clock::now();
      clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &c1);
      seconds = std::chrono::duration<double>(end - start).count();
      cpu = double(c1.tv_sec - c0.tv_sec) + 1e-9 * double(c1.tv_nsec - c0.tv_nsec);
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
  double seconds, cpu;
  int64_t result = once(seconds, cpu);
  if (seconds <= 5) result = once(seconds, cpu);  // the first run warmed up
  std::printf("{\"seconds\": %.9f, \"cpu_s\": %.9f, \"checksum\": %lld}\n",
              seconds, cpu, (long long)result);
  return 0;
}
