// One measurement of one program of the suite, in C++ with oneTBB.
// usage: cpp PROGRAM SIZE WORKERS RUNS; without workers it is the sequential program.
#include <cstdio>
#include <fstream>
#include <map>
#include <string>
#include "words.hpp"

static const std::map<std::string, Job (*)(size_t)> programs = {
    {"hash-dedup", hash_dedup}, {"linefit", linefit}, {"mcss", mcss},
    {"msort-int64", msort},     {"primes", primes},   {"sparse-mxv", sparse_mxv},
    {"tokens", tokens},         {"wc", wc}};

// The peak of the resident memory, in KiB.
static long max_rss() {
  std::ifstream status("/proc/self/status");
  std::string name;
  long kib = 0;
  while (status >> name)
    if (name == "VmHWM:") status >> kib;
  return kib;
}

static std::string list(const std::vector<double> &times) {
  std::string s;
  for (double t : times) s += (s.empty() ? "" : ", ") + std::to_string(t);
  return "[" + s + "]";
}

static void measure(const std::string &name, size_t size, int workers, int runs) {
  const Job job = programs.at(name)(size);
  std::vector<double> seconds, cpus;
  uint64_t checksum = 0;
  for (int i = 0; i < runs; i++) {
    const double c = cpu(), t = wall();
    auto finish = job();
    seconds.push_back(wall() - t);
    cpus.push_back(cpu() - c);
    checksum = finish();
  }
  std::printf(
      "{\"program\": \"%s\", \"size\": %zu, \"workers\": %d, \"seconds\": %s, "
      "\"cpu_s\": %s, \"max_rss_kib\": %ld, \"checksum\": %llu, \"figures\": {}}\n",
      name.c_str(), size, workers, list(seconds).c_str(), list(cpus).c_str(),
      max_rss(), (unsigned long long)checksum);
}

int main(int argc, char **argv) {
  using namespace oneapi::tbb;
  if (argc != 5 || !programs.count(argv[1])) {
    std::fprintf(stderr, "usage: %s PROGRAM SIZE WORKERS RUNS\n", argv[0]);
    return 2;
  }
  const size_t size = std::stoul(argv[2]);
  const int workers = std::stoi(argv[3]), runs = std::stoi(argv[4]);
  parallel = workers > 0;
  const int most = std::max(1, workers);
  global_control limit(global_control::max_allowed_parallelism, size_t(most));
  task_arena(most).execute([&] { measure(argv[1], size, workers, runs); });
}
