/* starve: one computing thread for each CPU, and one thread that sleeps most of the
   time. The workload measures how late the sleeper runs after its wake-up time. */

#define _GNU_SOURCE
#include "work.h"

#include <errno.h>
#include <pthread.h>
#include <stdatomic.h>
#include <time.h>

#define EVERY 10000000 /* 10 ms */

static long share;
static atomic_int over;
static ns longest;
static long woken;

static void body(int i)
{
  (void)i;
  compute(share);
}

static void *sleeper(void *arg)
{
  (void)arg;
  ns due = now();
  while (!atomic_load(&over)) {
    due += EVERY;
    struct timespec t = { due / 1000000000, due % 1000000000 };
    while (clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &t, NULL) == EINTR) {}
    ns late = now() - due;
    if (late > longest) longest = late;
    woken++;
    compute(1);
    due += late; /* the next wake-up is not late because of this one */
  }
  return NULL;
}

void starve(const struct how *how)
{
  pthread_t id;
  struct crew crew;
  share = how->units / how->cpus;
  if (pthread_create(&id, NULL, sleeper, NULL) != 0) return;
  run_crew(&crew, how->cpus, body);
  atomic_store(&over, 1);
  pthread_join(id, NULL);
  struct told told = of_crew("starve", share * how->cpus, &crew);
  told.longest_wait = longest;
  tell(&told);
}
