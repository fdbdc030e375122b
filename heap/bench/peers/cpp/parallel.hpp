// Arrays, and oneTBB loops over them. Without workers the loops are sequential.
#pragma once
#include <oneapi/tbb.h>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

inline bool parallel;

// Elements start uninitialised where their type permits. Copies share the elements.
template <class T>
struct Array {
  size_t size;
  std::shared_ptr<T[]> data;

  explicit Array(size_t n)
      : size(n), data(std::make_shared_for_overwrite<T[]>(n)) {}
  Array(size_t n, std::shared_ptr<T[]> made) : size(n), data(std::move(made)) {}
  T &operator[](size_t i) const { return data[i]; }
  T *begin() const { return data.get(); }
  T *end() const { return data.get() + size; }
};

template <class F, class G>
void both(F f, G g) {
  if (parallel) {
    oneapi::tbb::parallel_invoke(f, g);
  } else {
    f();
    g();
  }
}

// Calls f(lo, hi) on pieces of 0 .. n.
template <class F>
void pieces(size_t n, size_t grain, F f) {
  using Range = oneapi::tbb::blocked_range<size_t>;
  if (parallel)
    oneapi::tbb::parallel_for(
        Range(0, n, grain), [&](const Range &r) { f(r.begin(), r.end()); });
  else
    f(size_t{0}, n);
}

// An array of f(i).
template <class T, class F>
Array<T> tabulate(size_t n, size_t grain, F f) {
  T *all = std::allocator<T>().allocate(n);
  pieces(n, grain, [&](size_t lo, size_t hi) {
    for (size_t i = lo; i < hi; i++) std::construct_at(all + i, f(i));
  });
  auto destroy = [=](T *) {
    std::destroy_n(all, n);
    std::allocator<T>().deallocate(all, n);
  };
  return Array<T>(n, std::shared_ptr<T[]>(all, destroy));
}

// Calls f(lo, hi, so_far) on pieces of 0 .. n, and adds the results with +.
template <class T, class F>
T reduce(size_t n, size_t grain, F f) {
  using Range = oneapi::tbb::blocked_range<size_t>;
  if (!parallel) return f(size_t{0}, n, T{});
  return oneapi::tbb::parallel_reduce(
      Range(0, n, grain), T{},
      [&](const Range &r, T sum) { return f(r.begin(), r.end(), sum); },
      [](const T &a, const T &b) { return a + b; });
}

// Replaces each number by the sum of the numbers before; returns the total.
inline size_t sums_before(std::vector<size_t> &counts) {
  size_t total = 0;
  for (size_t &count : counts) total += std::exchange(count, total);
  return total;
}

// The results of [make] on the indices below n that satisfy [keep], in order.
template <class T, class Keep, class Make>
Array<T> pack(size_t n, Keep keep, Make make) {
  constexpr size_t block = 8192;
  std::vector<size_t> starts((n + block - 1) / block);
  auto blocks = [&](auto body) {
    pieces(starts.size(), 1, [&](size_t lo, size_t hi) {
      for (size_t b = lo; b < hi; b++)
        body(b, b * block, std::min(n, (b + 1) * block));
    });
  };
  blocks([&](size_t b, size_t lo, size_t hi) {
    size_t count = 0;
    for (size_t i = lo; i < hi; i++) count += keep(i);
    starts[b] = count;
  });
  Array<T> kept(sums_before(starts));
  blocks([&](size_t b, size_t lo, size_t hi) {
    T *at = kept.begin() + starts[b];
    for (size_t i = lo; i < hi; i++)
      if (keep(i)) *at++ = make(i);
  });
  return kept;
}
