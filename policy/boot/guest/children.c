/* The programs that /init starts: their use of the machine, and their ends. */

#define _GNU_SOURCE
#include "guest.h"

#include <linux/perf_event.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

/* A counter for the process; if [inherited], also for its later children, even after
   they have ended. */
static int counter(pid_t pid, uint64_t what, bool inherited)
{
  struct perf_event_attr attr;
  memset(&attr, 0, sizeof attr);
  attr.type = PERF_TYPE_SOFTWARE;
  attr.size = sizeof attr;
  attr.config = what;
  attr.inherit = inherited;
  return (int)syscall(SYS_perf_event_open, &attr, pid, -1, -1, PERF_FLAG_FD_CLOEXEC);
}

/* The kernel changes its own code when the first counter comes and when the last one
   goes. These counters stay, so that the kernel makes the change once, while no
   workload runs. */
void begin_counting(void)
{
  if (counter(0, PERF_COUNT_SW_CPU_MIGRATIONS, false) < 0
      || counter(0, PERF_COUNT_SW_CONTEXT_SWITCHES, false) < 0)
    report("note text=this kernel does not count migrations and switches");
}

static int64_t counted(int fd)
{
  uint64_t value;
  if (fd < 0) return -1;
  ssize_t n = read(fd, &value, sizeof value);
  close(fd);
  return n == sizeof value ? (int64_t)value : -1;
}

/* The program begins when [go] is closed, or at once if [go] is negative. */
static pid_t start_when(char *const argv[], bool first, int go, int held)
{
  pid_t pid = fork();
  if (pid != 0) return pid;
  sigset_t none;
  char byte;
  sigemptyset(&none);
  sigprocmask(SIG_SETMASK, &none, NULL);
  setpgid(0, 0);
  if (first) {
    struct sched_param how = { .sched_priority = 5 };
    sched_setscheduler(0, SCHED_FIFO, &how);
  }
  dup2(report_fd, 1);
  if (held >= 0) close(held);
  if (go >= 0 && read(go, &byte, 1) < 0) _exit(126);
  execv(argv[0], argv);
  perror(argv[0]);
  _exit(127);
}

/* The last program of [start], and its status if it ended while `ended_within` waited
   for another process. */
static struct {
  pid_t pid;
  bool ended;
  int status;
} other;

pid_t start(char *const argv[], bool first)
{
  other.pid = start_when(argv, first, -1, -1);
  other.ended = false;
  return other.pid;
}

bool ended_within(pid_t pid, int ms, int *status)
{
  int64_t until = clock_ns() + ms * (int64_t)1000000;
  sigset_t children;
  sigemptyset(&children);
  sigaddset(&children, SIGCHLD);
  for (;;) {
    pid_t some;
    int s;
    if (pid == other.pid && other.ended) {
      *status = other.status;
      return true;
    }
    while ((some = waitpid(-1, &s, WNOHANG)) > 0)
      if (some == pid) {
        *status = s;
        return true;
      }
      else if (some == other.pid) {
        other.ended = true;
        other.status = s;
      }
    int64_t left = until - clock_ns();
    if (left <= 0) return false;
    struct timespec t = { left / 1000000000, left % 1000000000 };
    sigtimedwait(&children, NULL, &t);
  }
}

static int64_t used_by_children(void)
{
  struct rusage used;
  getrusage(RUSAGE_CHILDREN, &used);
  return (used.ru_utime.tv_sec + used.ru_stime.tv_sec) * (int64_t)1000000000
         + (used.ru_utime.tv_usec + used.ru_stime.tv_usec) * (int64_t)1000;
}

struct ended run(char *const argv[], int limit)
{
  struct ended ended = { .status = -1 };
  int go[2];
  if (pipe(go) != 0) return ended;
  pid_t pid = start_when(argv, false, go[0], go[1]);
  close(go[0]);
  if (pid < 0) {
    close(go[1]);
    return ended;
  }
  setpgid(pid, pid);
  int migrations = counter(pid, PERF_COUNT_SW_CPU_MIGRATIONS, true);
  int switches = counter(pid, PERF_COUNT_SW_CONTEXT_SWITCHES, true);
  int64_t before = used_by_children(), began = clock_ns();
  close(go[1]);
  ended.in_time = ended_within(pid, limit * 1000, &ended.status);
  ended.elapsed = clock_ns() - began;
  /* Also kills processes that the program left behind. */
  kill(-pid, SIGKILL);
  if (!ended.in_time) ended_within(pid, 10000, &ended.status);
  ended.cpu = used_by_children() - before;
  ended.migrations = counted(migrations);
  ended.switches = counted(switches);
  return ended;
}
