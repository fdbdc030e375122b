/* burst: threads that compute, four for each CPU, all of which are ready on CPU 0 when
   they begin. Who balances brings them to the other CPUs soon. */

#define _GNU_SOURCE
#include "work.h"

#include <sched.h>

static long share;

static void body(int i)
{
  (void)i;
  cpu_set_t any;
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
  tell(&told);
}
