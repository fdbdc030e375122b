/* barrier: threads compute unequal shares and wait for each other, round by round,
   like the NAS benchmarks. The longest share of a round is at most twice the
   shortest. */

#include "work.h"

#include <pthread.h>

#define ROUNDS 50

static int threads_there;
static long share;
static pthread_barrier_t meet;

/* From 4 to 8 eighths; the thread with the longest share changes with the round. */
static long share_of(int i, int round)
{
  return share * (4 + (i + round) % 5) / 8;
}

static void body(int i)
{
  for (int round = 0; round < ROUNDS; round++) {
    compute(share_of(i, round));
    pthread_barrier_wait(&meet);
  }
}

void barrier(const struct how *how, const char *name, int threads)
{
  threads_there = threads;
  /* Shares are 6 eighths on average. */
  share = how->units / ROUNDS / threads * 8 / 6;
  if (share < 8) share = 8;
  long work = 0;
  for (int round = 0; round < ROUNDS; round++)
    for (int i = 0; i < threads_there; i++) work += share_of(i, round);
  pthread_barrier_init(&meet, NULL, threads);
  struct crew crew;
  run_crew(&crew, threads, body);
  struct told told = of_crew(name, work, &crew);
  told.least = told.most = -1; /* the shares differ, and threads wait by design */
  tell(&told);
}
