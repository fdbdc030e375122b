// The programs on numbers. Each program makes its input, and returns a job. The job is
// timed; the result of the job is a function that computes the
// checksum.
#pragma once
#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include "input.hpp"

using Job = std::function<std::function<uint64_t()>()>;

template <class T>
uint64_t checksum(const Array<T> &a) {
  Checksum sum;
  for (const T &x : a) sum.add(int64_t(x));
  return sum.sum;
}

// Primes: the primes below the root, found recursively, sieve each block separately.

constexpr int64_t block = 65536;

inline std::vector<int64_t> sieve(const Array<int64_t> &small, int64_t lo,
                                  int64_t hi) {
  std::array<bool, block> composite{};
  for (int64_t p : small)
    for (int64_t m = std::max(p * p, (lo + p - 1) / p * p); m < hi; m += p)
      composite[size_t(m - lo)] = true;
  std::vector<int64_t> primes;
  for (int64_t i = lo; i < hi; i++)
    if (!composite[size_t(i - lo)]) primes.push_back(i);
  return primes;
}

inline Array<int64_t> primes_below(int64_t n) {
  if (n <= 2) return Array<int64_t>(0);
  const int64_t root = 1 + int64_t(std::sqrt(double(n)));
  const Array<int64_t> small = primes_below(root < n ? root : 0);
  std::vector<std::vector<int64_t>> found(size_t((n - 2 + block - 1) / block));
  pieces(found.size(), 1, [&](size_t lo, size_t hi) {
    for (size_t b = lo; b < hi; b++) {
      const int64_t first = 2 + int64_t(b) * block;
      found[b] = sieve(small, first, std::min(n, first + block));
    }
  });
  std::vector<size_t> starts;
  for (const auto &primes : found) starts.push_back(primes.size());
  Array<int64_t> all(sums_before(starts));
  pieces(found.size(), 1, [&](size_t lo, size_t hi) {
    for (size_t b = lo; b < hi; b++)
      std::copy(found[b].begin(), found[b].end(), all.begin() + starts[b]);
  });
  return all;
}

inline Job primes(size_t n) {
  return [=] {
    auto all = primes_below(int64_t(n));
    return [=] { return checksum(all); };
  };
}

// Merge sort between an array and a scratch array that swap roles at each level.

constexpr ptrdiff_t grain = 4096;

template <class T>
void merge(const T *a, const T *a_end, const T *b, const T *b_end, T *out) {
  if ((a_end - a) + (b_end - b) <= grain || a == a_end) {
    std::merge(a, a_end, b, b_end, out);
    return;
  }
  const T *a_mid = a + (a_end - a) / 2, *b_mid = std::lower_bound(b, b_end, *a_mid);
  T *middle = out + (a_mid - a) + (b_mid - b);
  both([=] { merge(a, a_mid, b, b_mid, out); },
       [=] { merge(a_mid, a_end, b_mid, b_end, middle); });
}

// Sorts a .. a + n, into [other] if [elsewhere] is true.
template <class T>
void sort(T *a, T *other, ptrdiff_t n, bool elsewhere) {
  if (n <= grain) {
    std::sort(a, a + n);
    if (elsewhere) std::copy(a, a + n, other);
    return;
  }
  const ptrdiff_t mid = n / 2;
  both([=] { sort(a, other, mid, !elsewhere); },
       [=] { sort(a + mid, other + mid, n - mid, !elsewhere); });
  T *from = elsewhere ? a : other, *to = elsewhere ? other : a;
  merge(from, from + mid, from + mid, from + n, to);
}

inline Job msort(size_t n) {
  Array<int64_t> a(n);
  for (size_t i = 0; i < n; i++) a[i] = below(1'000'000'000, int64_t(i));
  return [=] {
    Array<int64_t> sorted(n), scratch(n);
    pieces(n, size_t(grain), [&](size_t lo, size_t hi) {
      std::copy(a.begin() + lo, a.begin() + hi, sorted.begin() + lo);
    });
    sort(sorted.begin(), scratch.begin(), ptrdiff_t(n), false);
    return [=] { return checksum(sorted); };
  };
}

// The least squares line: the means, then the moments about them.

struct Pair {
  double x = 0, y = 0;
  Pair operator+(const Pair &o) const { return {x + o.x, y + o.y}; }
};

inline Job linefit(size_t n) {
  Array<Pair> points(n);
  for (size_t i = 0; i < n; i++) {
    const double x = double(below(1024, int64_t(i)));
    points[i] = {x, 3. * x + double(below(64, int64_t(i + n)))};
  }
  return [=] {
    auto sum = [&](auto f) {
      return reduce<Pair>(n, grain, [&](size_t lo, size_t hi, Pair so_far) {
        for (size_t i = lo; i < hi; i++) so_far = so_far + f(points[i]);
        return so_far;
      });
    };
    const Pair sums = sum([](Pair p) { return p; });
    const Pair mean = {sums.x / double(n), sums.y / double(n)};
    const Pair moments = sum([=](Pair p) {
      const double d = p.x - mean.x;
      return Pair{d * d, d * p.y};
    });
    const double slope = moments.y / moments.x;
    const double offset = mean.y - slope * mean.x;
    return [=] {
      auto thousandths = [](double x) { return int64_t(std::round(1000. * x)); };
      return Checksum().add(thousandths(offset)).add(thousandths(slope)).sum;
    };
  };
}

// The greatest sum of a contiguous piece. The summary of an array holds the best sums of
// its pieces, prefixes and suffixes, and its total.

struct Best {
  double best = 0, prefix = 0, suffix = 0, sum = 0;
  Best operator+(const Best &o) const {
    return {std::max({best, o.best, suffix + o.prefix}),
            std::max(prefix, sum + o.prefix),
            std::max(o.suffix, suffix + o.sum), sum + o.sum};
  }
  void add(double x) {
    sum += x;
    prefix = std::max(prefix, sum);
    suffix = std::max(0., suffix + x);
    best = std::max(best, suffix);
  }
};

inline Job mcss(size_t n) {
  Array<double> a(n);
  for (size_t i = 0; i < n; i++) a[i] = double(below(201, int64_t(i)) - 100);
  return [=] {
    const Best all =
        reduce<Best>(n, grain, [&](size_t lo, size_t hi, Best so_far) {
          for (size_t i = lo; i < hi; i++) so_far.add(a[i]);
          return so_far;
        });
    return [=] { return Checksum().add(int64_t(all.best)).sum; };
  };
}

// A sparse matrix, rows of columns with their values, times a vector.

struct Entry {
  int64_t column;
  double value;
};

inline Job sparse_mxv(size_t n) {
  constexpr size_t in_a_row = 100;
  const size_t rows = n / in_a_row;
  Array<std::vector<Entry>> matrix(rows);
  for (size_t r = 0; r < rows; r++) {
    matrix[r].resize(in_a_row);
    for (size_t k = 0; k < in_a_row; k++) {
      const int64_t j = int64_t(in_a_row * r + k);
      matrix[r][k] = {below(int64_t(rows), 2 * j), double(below(100, 2 * j + 1))};
    }
  }
  Array<double> vector(rows);
  for (size_t i = 0; i < rows; i++) vector[i] = double(i % 100);
  return [=] {
    Array<double> product(rows);
    pieces(rows, 1, [&](size_t lo, size_t hi) {
      for (size_t r = lo; r < hi; r++) {
        double sum = 0;
        for (const Entry &e : matrix[r]) sum += e.value * vector[size_t(e.column)];
        product[r] = sum;
      }
    });
    return [=] { return checksum(product); };
  };
}
