/* burst: threads that compute, four for each CPU. All are ready on CPU 0 at the
   beginning, and may run anywhere. Good balancing soon brings the threads to the other
   CPUs. The longest wait lasts from the beginning until the last thread computes. */

#define _GNU_SOURCE
#include "work.h"

#include <sched.h>
#include <stdatomic.h>

static int threads;
static long share;
static atomic_int free_to_go; /* the number of ready threads that may run anywhere */
static atomic_llong began, last;

/* The threads were made and woken on CPU 0. Until all may run anywhere, they are in the
   queue of CPU 0 most of the time. */
static void body(int i)
{
  (void)i;
  cpu_set_t any;
  CPU_ZERO(&any);
  for (int c = 0; c < CPU_SETSIZE; c++) CPU_SET(c, &any);
  sched_setaffinity(0, sizeof any, &any);
  if (atomic_fetch_add(&free_to_go, 1) + 1 == threads) atomic_store(&began, now());
  while (atomic_load(&began) == 0) sched_yield();
  long long at = now();
  for (long long l = atomic_load(&last); at > l;)
    if (atomic_compare_exchange_weak(&last, &l, at)) break;
  compute(share);
}

void burst(const struct how *how)
{
  cpu_set_t first;
  CPU_ZERO(&first);
  CPU_SET(0, &first);
  sched_setaffinity(0, sizeof first, &first);
  threads = 4 * how->cpus;
  share = how->units / threads;
  struct crew crew;
  run_crew(&crew, threads, body);
  struct told told = of_crew("burst", share * threads, &crew);
  told.longest_wait = atomic_load(&last) - atomic_load(&began);
  tell(&told);
}
