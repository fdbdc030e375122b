/* Shared by the parts of /init: the plan, the channels to the host, and the recorder
   of the kernel's scheduling events. */

#ifndef DROMOS_GUEST_H
#define DROMOS_GUEST_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#define WORKLOADS 32

/* The content of /boot.conf: lines of a name and a value. */
struct plan {
  int cpus;
  double seconds;       /* of work for each workload on busy CPUs, roughly */
  int limit;            /* seconds until a workload is killed */
  long long trace_bytes; /* limit of a run's trace; 0: nothing is recorded */
  bool policy;          /* run the workloads under /policy.bpf.o too */
  int workloads;
  char workload[WORKLOADS][32];
};
int read_plan(struct plan *plan, const char *path);

/* {1 places.c} */

void mount_all(void);
/* The channels to the host: ports of virtio, or the second serial line. */
void open_channels(void);
extern int report_fd, trace_fd;
/* Sends a line to the host, by one write if the channel takes the whole line. */
void report(const char *format, ...) __attribute__((format(printf, 1, 2)));
/* The first line of a file without the newline, or "" if the file cannot be read. */
const char *line_of(const char *path);
bool is_enabled(void); /* a scheduler of sched_ext is there */
/* True: this process becomes real-time, so no policy holds /init up. False: a normal
   process again. */
void be_first(bool first);

/* {1 record.c} */

bool can_record(void);
void record_prepare(const struct plan *plan);
void record_begin(void);
/* Ends the record and sends the text to the host. */
void record_end(const struct plan *plan, const char *workload, const char *scheduler);

/* {1 children.c} */

struct ended {
  bool in_time;
  int status; /* of waitpid */
  int64_t elapsed, cpu;          /* ns */
  int64_t migrations, switches;  /* -1: not known */
};
void begin_counting(void);
/* Starts a program in a process group of its own. The program's output is the report. */
pid_t start(char *const argv[], bool first);
/* Starts a program and waits for the end, [limit] seconds at most. */
struct ended run(char *const argv[], int limit);
/* Waits for the process [pid] to end, [ms] milliseconds at most; returns false if
   the process still runs. Reaps other processes too, and remembers the end of the
   program that was started last. */
bool ended_within(pid_t pid, int ms, int *status);

int64_t clock_ns(void);

#endif
