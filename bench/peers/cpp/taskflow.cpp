#include "common.hpp"
#include <taskflow/algorithm/for_each.hpp>
#include <taskflow/taskflow.hpp>

// Taskflow 3.9 has corun_all, later releases have corun.
template <class Runtime>
static void join(Runtime &rt) {
  if constexpr (requires { rt.corun(); })
    rt.corun();
  else
    rt.corun_all();
}

static int64_t fib(tf::Runtime &rt, int64_t n, int64_t cutoff) {
  if (n < 2) return n;
  if (n <= cutoff) return fib_seq(n);
  int64_t a;
  rt.silent_async(
      [&a, n, cutoff](tf::Runtime &rt) { a = fib(rt, n - 1, cutoff); });
  const int64_t b = fib(rt, n - 2, cutoff);
  join(rt);
  return a + b;
}

int main(int argc, char **argv) {
  const Args args = parse(argc, argv);
  // The caller only waits, so every worker is the executor's.
  tf::Executor executor(args.workers);
  return measure(
      args,
      [&](int64_t n, int64_t cutoff) {
        int64_t result = 0;
        executor.async([&](tf::Runtime &rt) { result = fib(rt, n, cutoff); })
            .wait();
        return result;
      },
      [&](int64_t n, int64_t chunk, auto body) {
        tf::Taskflow flow;
        if (chunk > 0)
          flow.for_each_index(int64_t{0}, n, int64_t{1}, body,
                              tf::DynamicPartitioner(chunk));
        else
          flow.for_each_index(int64_t{0}, n, int64_t{1}, body);
        executor.run(flow).wait();
      });
}
