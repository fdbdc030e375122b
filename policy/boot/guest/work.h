/* Common to the workloads: a unit of work, clocks, threads that compute, and the one
   line that each workload prints. */

#ifndef DROMOS_WORK_H
#define DROMOS_WORK_H

#include <stdint.h>

typedef int64_t ns;

/* Some microseconds of arithmetic without memory: the same on every CPU. */
void compute(long units);

ns now(void);      /* CLOCK_MONOTONIC */
ns cpu_time(void); /* of the calling thread */
void sleep_for(ns time);

/* A number below [below] that depends on [seed] alone. */
unsigned drawn(unsigned seed, unsigned below);

/* Threads that run [body(index)] at the same time. The CPU time of each is read
   when the first of them ends, so that unequal treatment is seen although every
   thread gets its work done in the end. */
struct crew {
  int threads;
  ns elapsed, cpu;   /* of all of them together */
  ns least, most;    /* CPU time when the first thread ended */
};
void run_crew(struct crew *crew, int threads, void (*body)(int index));

/* What a workload tells; a field that is negative has no meaning for it. */
struct told {
  const char *name;
  int threads;
  long work; /* units, or what the workload says that it counts */
  ns elapsed, cpu, least, most, longest_wait;
};
void tell(const struct told *told);
struct told of_crew(const char *name, long work, const struct crew *crew);

/* The workloads. Each does a fixed amount of work: about [units], in shares. */
struct how {
  int cpus;
  long units;
};
void barrier(const struct how *how, const char *name, int threads);
void forks(const struct how *how);
int forks_job(int argc, char **argv);
void locks(const struct how *how);
void messages(const struct how *how);
void starve(const struct how *how);
void burst(const struct how *how);

#endif
