/* The kernel's own record of its scheduling, as text for the host. */

#define _GNU_SOURCE
#include "guest.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define TRACING "/sys/kernel/tracing/"

static const char *const events[] = {
  "sched_switch",       "sched_wakeup",       "sched_wakeup_new",
  "sched_migrate_task", "sched_process_fork", "sched_process_exit",
};

static int put(const char *path, const char *text)
{
  int fd = open(path, O_WRONLY | O_TRUNC | O_CLOEXEC);
  if (fd < 0) return -1;
  ssize_t n = write(fd, text, strlen(text));
  close(fd);
  return n < 0 ? -1 : 0;
}

bool can_record(void)
{
  return trace_fd >= 0
         && access(TRACING "events/sched/sched_switch/enable", W_OK) == 0;
}

/* An event takes some 60 bytes in the kernel's buffers, and 130 as text. */
void record_prepare(const struct plan *plan)
{
  char path[128], text[32];
  put(TRACING "tracing_on", "0");
  put(TRACING "trace_clock", "mono");
  put(TRACING "options/overwrite", "0");
  snprintf(text, sizeof text, "%lld", plan->trace_bytes / 2 / 1024 / plan->cpus + 64);
  put(TRACING "buffer_size_kb", text);
  for (size_t i = 0; i < sizeof events / sizeof *events; i++) {
    snprintf(path, sizeof path, TRACING "events/sched/%s/enable", events[i]);
    if (line_of(path)[0] == '1') continue;
    if (put(path, "1") != 0) report("note text=%s cannot be recorded", events[i]);
  }
}

void record_begin(void)
{
  put(TRACING "trace", "");
  put(TRACING "tracing_on", "1");
}

/* The number of events that found no room in the buffers. */
static long long lost(const struct plan *plan)
{
  long long all = 0;
  char path[128], line[128];
  for (int cpu = 0; cpu < plan->cpus; cpu++) {
    snprintf(path, sizeof path, TRACING "per_cpu/cpu%d/stats", cpu);
    FILE *file = fopen(path, "r");
    if (file == NULL) continue;
    while (fgets(line, sizeof line, file) != NULL) {
      char *colon = strchr(line, ':');
      if (colon == NULL) continue;
      if (strncmp(line, "overrun", 7) == 0 || strncmp(line, "dropped", 7) == 0)
        all += atoll(colon + 1);
    }
    fclose(file);
  }
  return all;
}

static bool send_all(const char *text, ssize_t n)
{
  while (n > 0) {
    ssize_t k = write(trace_fd, text, n);
    if (k < 0 && errno != EINTR && errno != EAGAIN) return false;
    if (k > 0) text += k, n -= k;
  }
  return true;
}

void record_end(const struct plan *plan, const char *workload, const char *scheduler)
{
  static char text[1 << 16];
  put(TRACING "tracing_on", "0");
  long long sent = 0, missing = lost(plan);
  bool whole = true;
  int64_t began = clock_ns();
  int fd = open(TRACING "trace", O_RDONLY | O_CLOEXEC);
  if (fd < 0) return;
  for (ssize_t n; whole && (n = read(fd, text, sizeof text)) > 0;) {
    if (sent + n > plan->trace_bytes) whole = false;
    else if (send_all(text, n)) sent += n;
    else break;
  }
  close(fd);
  put(TRACING "trace", "");
  report("trace workload=%s scheduler=%s bytes=%lld lost=%lld whole=%d took_ns=%lld",
         workload, scheduler, sent, missing, whole, (long long)(clock_ns() - began));
}
