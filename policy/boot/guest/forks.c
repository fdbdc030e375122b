/* forks: processes are made, run a program, compute and end, as in the build of a large
   program. At most two for each CPU run at a time. Each has a child, so that there are
   deeper trees too. */

#define _GNU_SOURCE
#include "work.h"

#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#define AVERAGE 4000 /* the average units of a job, some 20 to 100 ms */

static void job(long units, int children)
{
  char a[24], b[24];
  snprintf(a, sizeof a, "%ld", units);
  snprintf(b, sizeof b, "%d", children);
  execl("/proc/self/exe", "work", "job", a, b, (char *)NULL);
  _exit(127);
}

/* work job UNITS CHILDREN: a child does half the units, then the process the rest. */
int forks_job(int argc, char **argv)
{
  if (argc != 4) return 2;
  long units = atol(argv[2]);
  int children = atoi(argv[3]), status = 0;
  if (children == 0) {
    compute(units);
    return 0;
  }
  pid_t pid = fork();
  if (pid < 0) return 3;
  if (pid == 0) job(units / 2, children - 1);
  waitpid(pid, &status, 0);
  compute(units - units / 2);
  return status == 0 ? 0 : 3;
}

/* From half of the average to one and a half. */
static long units_of(int number)
{
  return AVERAGE / 2 + (long)drawn(number, AVERAGE + 1);
}

static ns of_timeval(struct timeval t)
{
  return t.tv_sec * (ns)1000000000 + t.tv_usec * (ns)1000;
}

void forks(const struct how *how)
{
  int running = 0, failed = 0;
  long work = 0;
  ns began = now();
  for (int i = 0; work < how->units; i++) {
    int status;
    if (running == 2 * how->cpus && wait(&status) > 0) {
      running--;
      failed += status != 0;
    }
    long units = units_of(i);
    work += units;
    pid_t pid = fork();
    if (pid == 0) job(units, 1);
    if (pid > 0) running++; else failed++;
  }
  for (int status; running > 0 && wait(&status) > 0; running--) failed += status != 0;
  struct rusage used;
  getrusage(RUSAGE_CHILDREN, &used);
  struct told told = { "forks", 2 * how->cpus, failed ? -1 : work, now() - began,
                       of_timeval(used.ru_utime) + of_timeval(used.ru_stime), -1, -1, -1 };
  tell(&told);
}
