/* burst: threads that compute, four for each CPU, all of which are ready on CPU 0 when
   they begin. Good balancing brings them to the other CPUs soon. The longest wait is
   from the begin until the last of them ran for the first time. */

#define _GNU_SOURCE
#include "work.h"

#include <sched.h>
#include <stdatomic.h>

static long share;
static atomic_llong began; /* the earliest start, and the latest */
static atomic_llong last;

static void body(int i)
{
  (void)i;
  cpu_set_t any;
  long long at = now(), none = 0;
  atomic_compare_exchange_strong(&began, &none, at);
  for (long long l = atomic_load(&last); at > l;)
    if (atomic_compare_exchange_weak(&last, &l, at)) break;
  CPU_ZERO(&any);
  for (int c = 0; c < CPU_SETSIZE; c++) CPU_SET(c, &any);
  sched_setaffinity(0, sizeof any, &any);
  compute(share);
}

void burst(const struct how *how)
{
  cpu_set_t first;
  CPU_ZERO(&first);
  CPU_SET(0, &first);
  sched_setaffinity(0, sizeof first, &first);
  int threads = 4 * how->cpus;
  share = how->units / threads;
  struct crew crew;
  run_crew(&crew, threads, body);
  struct told told = of_crew("burst", share * threads, &crew);
  told.longest_wait = atomic_load(&last) - atomic_load(&began);
  tell(&told);
}
