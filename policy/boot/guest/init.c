/* /init of the guest runs each workload under the kernel's own scheduler, then each
   under the policy. The results go to the host, line by line. */

#define _GNU_SOURCE
#include "guest.h"

#include <errno.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/reboot.h>
#include <sys/utsname.h>
#include <sys/wait.h>
#include <unistd.h>

#define SCX "/sys/kernel/sched_ext/"

static struct plan plan;
static bool recording;
static pid_t loader = -1;

static void power_off(void)
{
  report("end");
  sync();
  reboot(RB_AUTOBOOT); /* QEMU was started to end at a reboot */
  reboot(RB_POWER_OFF);
  for (;;) pause();
}

/* {1 The policy} */

static void loader_gone(int status)
{
  loader = -1;
  if (WIFEXITED(status)) report("loader gone=%d", WEXITSTATUS(status));
  else report("loader killed=%d", WTERMSIG(status));
}

/* Reads a number of the kernel as text: each loading of a policy changes the number. */
static void read_seq(char seq[64]) { snprintf(seq, 64, "%s", line_of(SCX "enable_seq")); }

static bool is_seq(const char *seq) { return strcmp(seq, line_of(SCX "enable_seq")) == 0; }

/* Waits until the kernel schedules by the policy, or the loader has ended. */
static bool load(void)
{
  char *argv[] = { "/loader", "/policy.bpf.o", NULL }, before[64];
  int status;
  if (loader > 0) return is_enabled();
  read_seq(before);
  loader = start(argv, true);
  for (int i = 0; i < 600; i++) {
    if (ended_within(loader, 100, &status)) {
      loader_gone(status);
      return false;
    }
    if (is_enabled() && !is_seq(before)) return true;
  }
  report("note text=the policy was not loaded within a minute");
  return false;
}

/* Asks the verifier, before all workloads, whether the policy would be loaded. */
static bool is_accepted(void)
{
  char *argv[] = { "/loader", "-n", "/policy.bpf.o", NULL };
  int status;
  pid_t pid = start(argv, true);
  if (!ended_within(pid, 120000, &status)) {
    kill(pid, SIGKILL);
    report("note text=the policy was not verified within two minutes");
    return false;
  }
  if (WIFEXITED(status) && WEXITSTATUS(status) == 0) return true;
  loader_gone(status);
  return false;
}

static void unload(void)
{
  int status;
  if (loader <= 0) return;
  kill(loader, SIGTERM);
  if (!ended_within(loader, 20000, &status)) {
    kill(loader, SIGKILL);
    report("note text=the loader did not end when it was told to");
    if (!ended_within(loader, 5000, &status)) return;
  }
  loader_gone(status);
}

/* {1 Runs} */

static void each(const char *workload, const char *scheduler, long units)
{
  char cpus[16], amount[32], seq[64];
  char *argv[] = { "/work", (char *)workload, cpus, amount, NULL };
  snprintf(cpus, sizeof cpus, "%d", plan.cpus);
  snprintf(amount, sizeof amount, "%ld", units);
  read_seq(seq);
  report("run workload=%s scheduler=%s", workload, scheduler);
  if (recording) record_begin();
  struct ended e = run(argv, plan.limit);
  /* The loader, which ends with its policy, may have started the policy again. */
  bool stayed = is_enabled() && (is_seq(seq) || (loader > 0 && kill(loader, 0) == 0));
  int code = e.status >= 0 && WIFEXITED(e.status) ? WEXITSTATUS(e.status) : -1;
  report("done workload=%s scheduler=%s code=%d in_time=%d elapsed_ns=%lld cpu_ns=%lld "
         "migrations=%lld switches=%lld enabled=%d",
         workload, scheduler, code, e.in_time, (long long)e.elapsed, (long long)e.cpu,
         (long long)e.migrations, (long long)e.switches, stayed);
  if (recording) {
    /* The text of the record takes long to write: a real-time /init would hold up
       all other threads. */
    be_first(false);
    record_end(&plan, workload, scheduler);
    be_first(true);
  }
}

/* Units of work in a second of CPU time; the workload itself reports them. */
static long calibrated(void)
{
  char cpus[16], line[128] = "";
  int ends[2], before = report_fd;
  char *argv[] = { "/work", "calibrate", cpus, "0", NULL };
  snprintf(cpus, sizeof cpus, "%d", plan.cpus);
  if (pipe(ends) != 0) return 0;
  report_fd = ends[1];
  struct ended e = run(argv, 60);
  report_fd = before;
  close(ends[1]);
  ssize_t n = e.in_time ? read(ends[0], line, sizeof line - 1) : -1;
  close(ends[0]);
  long units = 0;
  if (n <= 0 || sscanf(line, "calibrated units=%ld", &units) != 1) return 0;
  report("calibrated units=%ld", units);
  return units;
}

static void tell_guest(void)
{
  struct utsname names;
  uname(&names);
  bool ext = access(SCX "state", R_OK) == 0;
  bool btf = access("/sys/kernel/btf/vmlinux", R_OK) == 0;
  report("guest cpus=%ld sched_ext=%d btf=%d tracing=%d kernel=%s",
         sysconf(_SC_NPROCESSORS_ONLN), ext, btf, can_record(), names.release);
  if (!ext || !btf) power_off();
}

int main(void)
{
  sigset_t children;
  sigemptyset(&children);
  sigaddset(&children, SIGCHLD);
  sigprocmask(SIG_BLOCK, &children, NULL);
  mount_all();
  open_channels();
  be_first(true);
  if (read_plan(&plan, "/boot.conf") != 0) report("note text=no /boot.conf");
  tell_guest();
  begin_counting();
  if (plan.policy && !is_accepted()) power_off();
  long rate = calibrated();
  if (rate <= 0) {
    report("note text=no workload runs here");
    power_off();
  }
  recording = plan.trace_bytes > 0 && can_record();
  if (recording) record_prepare(&plan);
  long units = (long)(rate * plan.seconds * plan.cpus);
  for (int i = 0; i < plan.workloads; i++) each(plan.workload[i], "kernel", units);
  for (int i = 0; plan.policy && i < plan.workloads; i++) {
    int status;
    if (!load()) break;
    each(plan.workload[i], "policy", units);
    /* The loader ends by itself if the kernel has removed the policy. */
    if (!is_enabled() && loader > 0 && ended_within(loader, 5000, &status))
      loader_gone(status);
  }
  unload();
  report("state state=%s", line_of(SCX "state"));
  power_off();
}
