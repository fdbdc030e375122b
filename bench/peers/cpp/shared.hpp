// Random numbers and checksums, equal to those of bench/plain's rng.ml and checksum.ml in
// OCaml's 63-bit integers, and clocks. The C++ peers of both suites include this file.
#pragma once
#include <chrono>
#include <cstdint>
#include <ctime>

inline uint64_t hash(uint64_t i) {
  constexpr uint64_t mask = UINT64_MAX >> 1;
  uint64_t z = i * 0x1e3779b97f4a7c15 & mask;
  z = (z ^ z >> 30) * 0x3f58476d1ce4e5b9 & mask;
  z = (z ^ z >> 27) * 0x14d049bb133111eb & mask;
  return (z ^ z >> 31) & mask >> 1;
}

struct Checksum {
  uint64_t sum = 17;
  Checksum &add(int64_t x) {
    sum = (sum * 31 + uint64_t(x)) & UINT64_MAX >> 2;
    return *this;
  }
};

// Seconds on a clock that only goes forward.
inline double wall() {
  using namespace std::chrono;
  return duration<double>(steady_clock::now().time_since_epoch()).count();
}

// Seconds of processor time of all threads.
inline double cpu() {
  std::timespec t;
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
  return double(t.tv_sec) + 1e-9 * double(t.tv_nsec);
}
