/* What the parts of /init share: what it was told to do, where it reports to, and the
   recorder of the kernel's scheduling events. */

#ifndef DROMOS_GUEST_H
#define DROMOS_GUEST_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#define WORKLOADS 32

/* From /boot.conf: lines of a name and a value. */
struct plan {
  int cpus;
  double seconds;       /* about so long for each workload, all CPUs busy */
  int limit;            /* seconds; a workload that takes longer is killed */
  long long trace_bytes; /* of text for each run at most; 0: nothing is recorded */
  bool policy;          /* also under /policy.bpf.o */
  int workloads;
  char workload[WORKLOADS][32];
};
int read_plan(struct plan *plan, const char *path);

/* {1 places.c} */

void mount_all(void);
/* The channels to the host: ports of virtio, or the second serial line. */
void open_channels(void);
extern int report_fd, trace_fd;
/* One line, in one write. */
void report(const char *format, ...) __attribute__((format(printf, 1, 2)));
/* The first line of a file, without its end; "" if it cannot be read. */
const char *line_of(const char *path);
bool is_enabled(void); /* a scheduler of sched_ext is there */
/* Before all other threads, whatever a policy does; or as they are. */
void be_first(bool first);

/* {1 record.c} */

bool can_record(void);
void record_prepare(const struct plan *plan);
void record_begin(void);
/* Sends the text to the host. */
void record_end(const struct plan *plan, const char *workload, const char *scheduler);

/* {1 children.c} */

struct ended {
  bool in_time;
  int status; /* as waitpid has it */
  int64_t elapsed, cpu, migrations, switches; /* ns, ns; -1 if not known */
};
void begin_counting(void);
/* Runs a program with the report as its output, in a process group of its own. */
pid_t start(char *const argv[], bool first);
/* The same; waits for it, [limit] seconds at most. */
struct ended run(char *const argv[], int limit);
/* Has it ended within so many milliseconds? Reaps whatever else has ended, and
   remembers of the program that was started last that it has. */
bool ended_within(pid_t pid, int ms, int *status);

int64_t clock_ns(void);

#endif
