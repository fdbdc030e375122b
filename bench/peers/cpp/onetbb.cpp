#include "common.hpp"
#include <oneapi/tbb.h>

static int64_t fib(int64_t n, int64_t cutoff) {
  if (n < 2) return n;
  if (n <= cutoff) return fib_seq(n);
  int64_t a, b;
  oneapi::tbb::parallel_invoke([&] { a = fib(n - 1, cutoff); },
                               [&] { b = fib(n - 2, cutoff); });
  return a + b;
}

int main(int argc, char **argv) {
  using namespace oneapi::tbb;
  const Args args = parse(argc, argv);
  global_control limit(global_control::max_allowed_parallelism, args.workers);
  task_arena arena(args.workers);
  return measure(
      args,
      [&](int64_t n, int64_t cutoff) {
        return arena.execute([&] { return fib(n, cutoff); });
      },
      [&](int64_t n, int64_t chunk, auto body) {
        arena.execute([&] {
          auto piece = [&](const blocked_range<int64_t> &r) {
            for (int64_t i = r.begin(); i < r.end(); i++) body(i);
          };
          if (chunk > 0)
            parallel_for(blocked_range<int64_t>(0, n, chunk), piece,
                         simple_partitioner());
          else
            parallel_for(blocked_range<int64_t>(0, n), piece);
        });
      });
}
