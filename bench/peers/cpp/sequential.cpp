#include "common.hpp"

int main(int argc, char **argv) {
  return measure(
      parse(argc, argv), [](int64_t n, int64_t) { return fib_seq(n); },
      [](int64_t n, int64_t, auto body) {
        for (int64_t i = 0; i < n; i++) body(i);
      });
}
