/* work NAME CPUS UNITS: one program for all workloads. */

#define _GNU_SOURCE
#include "work.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

/* A unit is 2000 steps of a random number generator, none of which the compiler can
   leave out. */
void compute(long units)
{
  uint32_t x = 88172645u;
  for (long u = 0; u < units; u++) {
    for (int i = 0; i < 2000; i++) {
      x ^= x << 13;
      x ^= x >> 17;
      x ^= x << 5;
    }
    __asm__ volatile("" : "+r"(x));
  }
}

static ns read_clock(clockid_t clock)
{
  struct timespec t;
  clock_gettime(clock, &t);
  return t.tv_sec * (ns)1000000000 + t.tv_nsec;
}

ns now(void) { return read_clock(CLOCK_MONOTONIC); }
ns cpu_time(void) { return read_clock(CLOCK_THREAD_CPUTIME_ID); }

void sleep_for(ns time)
{
  struct timespec t = { time / 1000000000, time % 1000000000 };
  nanosleep(&t, NULL);
}

unsigned drawn(unsigned seed, unsigned below)
{
  uint32_t x = seed * 2654435761u + 12345u;
  x ^= x >> 16;
  x *= 2246822519u;
  x ^= x >> 13;
  return x % below;
}

/* {1 Crews} */

static struct {
  int threads;
  void (*body)(int);
  pthread_t *ids;
  ns *cpu;      /* the CPU time of each thread at its end */
  ns *at_first; /* the CPU time of each thread when the first thread ended */
  pthread_barrier_t start;
  atomic_int ended; /* the number of threads that have ended */
} all;

/* All threads exist while this function runs: each thread ends only after it has passed
   [start] for the second time. */
static void sample(void)
{
  for (int i = 0; i < all.threads; i++) {
    clockid_t clock;
    if (pthread_getcpuclockid(all.ids[i], &clock) == 0)
      all.at_first[i] = read_clock(clock);
  }
}

static void *member(void *arg)
{
  int i = (int)(intptr_t)arg;
  pthread_barrier_wait(&all.start);
  all.body(i);
  all.cpu[i] = cpu_time();
  if (atomic_fetch_add(&all.ended, 1) == 0) sample();
  pthread_barrier_wait(&all.start);
  return NULL;
}

static void check(int error, const char *what)
{
  if (error == 0) return;
  fprintf(stderr, "work: %s: %s\n", what, strerror(error));
  exit(3);
}

void run_crew(struct crew *crew, int threads, void (*body)(int))
{
  all.threads = threads;
  all.body = body;
  all.ids = calloc(threads, sizeof *all.ids);
  all.cpu = calloc(threads, sizeof *all.cpu);
  all.at_first = calloc(threads, sizeof *all.at_first);
  atomic_store(&all.ended, 0);
  pthread_barrier_init(&all.start, NULL, threads + 1);
  for (int i = 0; i < threads; i++)
    check(pthread_create(&all.ids[i], NULL, member, (void *)(intptr_t)i),
          "a thread cannot be made");
  ns began = now();
  pthread_barrier_wait(&all.start);
  pthread_barrier_wait(&all.start);
  crew->threads = threads;
  crew->elapsed = now() - began;
  crew->cpu = 0;
  crew->least = crew->most = all.at_first[0];
  for (int i = 0; i < threads; i++) {
    ns t = all.at_first[i];
    crew->cpu += all.cpu[i];
    if (t < crew->least) crew->least = t;
    if (t > crew->most) crew->most = t;
    pthread_join(all.ids[i], NULL);
  }
}

/* {1 Results} */

/* Writes the line at once, so that lines of several processes stay whole. */
void tell(const struct told *t)
{
  printf("result name=%s threads=%d work=%ld elapsed_ns=%lld cpu_ns=%lld "
         "least_ns=%lld most_ns=%lld longest_wait_ns=%lld\n",
         t->name, t->threads, t->work, (long long)t->elapsed, (long long)t->cpu,
         (long long)t->least, (long long)t->most, (long long)t->longest_wait);
  fflush(stdout);
}

struct told of_crew(const char *name, long work, const struct crew *crew)
{
  struct told told = { name, crew->threads, work, crew->elapsed, crew->cpu,
                       crew->least, crew->most, -1 };
  return told;
}

/* {1 The speed of a CPU} */

static atomic_long done;

static void computing(int i)
{
  (void)i;
  ns began = now();
  while (now() - began < 300000000) {
    compute(10);
    atomic_fetch_add(&done, 10);
  }
}

/* Computes with all CPUs busy, as in the workloads: the units in a second of CPU
   time. */
static void calibrate(int cpus)
{
  struct crew crew;
  run_crew(&crew, cpus, computing);
  printf("calibrated units=%lld\n",
         (long long)(atomic_load(&done) * 1e9 / (double)crew.cpu));
}

int main(int argc, char **argv)
{
  if (argc >= 2 && strcmp(argv[1], "job") == 0) return forks_job(argc, argv);
  if (argc != 4) return 2;
  const char *name = argv[1];
  struct how how = { atoi(argv[2]), atol(argv[3]) };
  setvbuf(stdout, NULL, _IOFBF, 4096);
  if (strcmp(name, "calibrate") == 0) calibrate(how.cpus);
  else if (strcmp(name, "barrier") == 0) barrier(&how, name, how.cpus);
  else if (strcmp(name, "barrier2x") == 0) barrier(&how, name, 2 * how.cpus);
  else if (strcmp(name, "forks") == 0) forks(&how);
  else if (strcmp(name, "locks") == 0) locks(&how);
  else if (strcmp(name, "messages") == 0) messages(&how);
  else if (strcmp(name, "starve") == 0) starve(&how);
  else if (strcmp(name, "burst") == 0) burst(&how);
  else return 2;
  return fflush(stdout) == 0 ? 0 : 3;
}
