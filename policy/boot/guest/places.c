/* The places of things in the guest: file systems, and the channels to the host. */

#define _GNU_SOURCE
#include "guest.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

int report_fd = 2, trace_fd = -1;

static void mounted(const char *type, const char *at)
{
  mkdir(at, 0755);
  if (mount(type, at, type, 0, NULL) != 0 && errno != EBUSY)
    fprintf(stderr, "init: %s: %s\n", at, strerror(errno));
}

void mount_all(void)
{
  mounted("proc", "/proc");
  mounted("sysfs", "/sys");
  mounted("devtmpfs", "/dev");
  mounted("tmpfs", "/tmp");
  mounted("bpf", "/sys/fs/bpf");
  mounted("tracefs", "/sys/kernel/tracing");
}

const char *line_of(const char *path)
{
  static char line[512];
  line[0] = 0;
  int fd = open(path, O_RDONLY | O_CLOEXEC);
  if (fd < 0) return line;
  ssize_t n = read(fd, line, sizeof line - 1);
  close(fd);
  line[n > 0 ? n : 0] = 0;
  line[strcspn(line, "\n")] = 0;
  return line;
}

/* Opens the port of virtio with this name, which the host gave. */
static int port(const char *name)
{
  char path[300];
  int fd = -1;
  DIR *dir = opendir("/sys/class/virtio-ports");
  if (dir == NULL) return -1;
  for (struct dirent *e; fd < 0 && (e = readdir(dir)) != NULL;) {
    snprintf(path, sizeof path, "/sys/class/virtio-ports/%s/name", e->d_name);
    if (strcmp(line_of(path), name) != 0) continue;
    snprintf(path, sizeof path, "/dev/%s", e->d_name);
    fd = open(path, O_WRONLY);
  }
  closedir(dir);
  return fd;
}

/* Ports appear shortly after the kernel has started /init. */
void open_channels(void)
{
  for (int i = 0; i < 40 && trace_fd < 0; i++) {
    if (report_fd == 2) {
      int fd = port("dromos.report");
      if (fd >= 0) report_fd = fd;
    }
    if (report_fd != 2) trace_fd = port("dromos.trace");
    if (trace_fd < 0) usleep(50000);
  }
  if (report_fd != 2) return;
  int fd = open("/dev/ttyS1", O_WRONLY | O_NOCTTY);
  if (fd >= 0) report_fd = fd;
}

void report(const char *format, ...)
{
  char line[2048];
  va_list arguments;
  va_start(arguments, format);
  int n = vsnprintf(line, sizeof line - 1, format, arguments);
  va_end(arguments);
  if (n > (int)sizeof line - 2) n = sizeof line - 2;
  line[n++] = '\n';
  for (int sent = 0; sent < n;) {
    ssize_t k = write(report_fd, line + sent, n - sent);
    if (k < 0 && errno != EINTR && errno != EAGAIN) break;
    if (k > 0) sent += k;
  }
}

bool is_enabled(void)
{
  return strcmp(line_of("/sys/kernel/sched_ext/state"), "enabled") == 0;
}

void be_first(bool first)
{
  struct sched_param how = { .sched_priority = first ? 10 : 0 };
  int policy = first ? SCHED_FIFO | SCHED_RESET_ON_FORK : SCHED_OTHER;
  if (sched_setscheduler(0, policy, &how) != 0) perror("init: its priority");
}

int64_t clock_ns(void)
{
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return t.tv_sec * (int64_t)1000000000 + t.tv_nsec;
}

int read_plan(struct plan *plan, const char *path)
{
  char name[32], value[32];
  FILE *file = fopen(path, "r");
  memset(plan, 0, sizeof *plan);
  if (file == NULL) return -1;
  while (fscanf(file, "%31s %31s", name, value) == 2) {
    if (strcmp(name, "cpus") == 0) plan->cpus = atoi(value);
    else if (strcmp(name, "seconds") == 0) plan->seconds = atof(value);
    else if (strcmp(name, "limit") == 0) plan->limit = atoi(value);
    else if (strcmp(name, "trace_bytes") == 0) plan->trace_bytes = atoll(value);
    else if (strcmp(name, "policy") == 0) plan->policy = atoi(value) != 0;
    else if (strcmp(name, "workload") == 0 && plan->workloads < WORKLOADS)
      snprintf(plan->workload[plan->workloads++], 32, "%s", value);
  }
  fclose(file);
  return 0;
}
