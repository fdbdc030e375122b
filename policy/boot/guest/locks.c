/* locks: threads, four for each CPU, take two of many mutexes, compute a little, and
   sometimes sleep, like the connections of a database. */

#include "work.h"

#include <pthread.h>

#define LOCKS 64
#define UNITS 4       /* the work with both locks held */
#define SLEEPS 16     /* a thread sleeps once in this number of transactions */
#define ASLEEP 500000 /* 0.5 ms */

static pthread_mutex_t lock[LOCKS];
static long transactions; /* transactions of each thread */

/* Takes the locks in the order of their numbers, so that no cycle of waits arises. */
static void transaction(unsigned seed)
{
  unsigned a = drawn(seed, LOCKS), b = drawn(seed + 7919, LOCKS);
  if (a == b) b = (b + 1) % LOCKS;
  unsigned low = a < b ? a : b, high = a < b ? b : a;
  pthread_mutex_lock(&lock[low]);
  pthread_mutex_lock(&lock[high]);
  compute(UNITS);
  pthread_mutex_unlock(&lock[high]);
  pthread_mutex_unlock(&lock[low]);
}

static void body(int i)
{
  for (long t = 0; t < transactions; t++) {
    unsigned seed = (unsigned)(i * 104729 + t);
    transaction(seed);
    if (drawn(seed, SLEEPS) == 0) sleep_for(ASLEEP);
  }
}

void locks(const struct how *how)
{
  int threads = 4 * how->cpus;
  for (int i = 0; i < LOCKS; i++) pthread_mutex_init(&lock[i], NULL);
  transactions = how->units / UNITS / threads;
  if (transactions < 1) transactions = 1;
  struct crew crew;
  run_crew(&crew, threads, body);
  struct told told = of_crew("locks", transactions * UNITS * threads, &crew);
  tell(&told);
}
