/* Shared by the workloads: a unit of work, clocks, a crew of threads, and the line of
   results. */

#ifndef DROMOS_WORK_H
#define DROMOS_WORK_H

#include <stdint.h>

typedef int64_t ns;

/* Does [units] of arithmetic without memory; a unit is some microseconds. */
void compute(long units);

ns now(void);      /* CLOCK_MONOTONIC */
ns cpu_time(void); /* the CPU time of the calling thread */
void sleep_for(ns time);

/* A number from 0 to below - 1, always the same for a seed. */
unsigned drawn(unsigned seed, unsigned below);

/* Threads that run [body(index)] at the same time. CPU times are read when the first
   thread ends. Later all threads have done all their work, and unequal treatment no
   longer shows. */
struct crew {
  int threads;
  ns elapsed, cpu;   /* of all threads together */
  ns least, most;    /* CPU times of a thread when the first thread ended */
};
void run_crew(struct crew *crew, int threads, void (*body)(int index));

/* The results of a workload. A negative field has no meaning for the workload. */
struct told {
  const char *name;
  int threads;
  long work; /* units, or another number counted by the workload */
  ns elapsed, cpu, least, most, longest_wait;
};
void tell(const struct told *told);
struct told of_crew(const char *name, long work, const struct crew *crew);

/* The workloads. A workload does a fixed amount of work, about [units], in shares. */
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
