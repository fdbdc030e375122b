/* A generated scheduler in this process. The driver plays the kernel, one event at a
   time, as kernel/sched/ext.c calls the operations. Commands are lines of numbers.
   After each command the whole state is printed on one line.

        cc -DPOLICY='"fifo.bpf.c"' driver.c */

#include <stdio.h>
extern void exit(int);
#include <string.h>
#include POLICY

#define TASKS 64
static struct fake {
  struct task_struct p;
  u32 number; /* number of the task's storage */
  s64 cpu;
  struct cpumask mask;
} tasks[TASKS];
static int n_tasks, n_cores;
static struct fake *local[MAX_CORES], *running_on[MAX_CORES];
static u32 here;
static int held;
long long said_now, said_random, said_draw;

static void wrong(const char *what) {
  printf("wrong: %s\n", what);
  fflush(stdout);
  exit(1);
}

/* {Helpers} */

static struct lock all_locks[MAX_CORES + 1];
static struct alarm the_alarm;

void *bpf_map_lookup_elem(void *map, const void *key) {
  if (map == (void *)&alarms) return &the_alarm;
  if (*(u32 *)key > MAX_CORES) wrong("no such lock");
  return &all_locks[*(u32 *)key];
}
void *bpf_task_storage_get(void *map, struct task_struct *p, void *v, __u64 f) {
  return &((struct fake *)p)->number;
}
void bpf_spin_lock(struct bpf_spin_lock *lock) {
  if (held++) wrong("two locks at once");
}
void bpf_spin_unlock(struct bpf_spin_lock *lock) { held--; }
u32 bpf_get_smp_processor_id(void) { return here; }
long bpf_timer_init(struct bpf_timer *t, void *m, __u64 f) { return 0; }
long bpf_timer_set_callback(struct bpf_timer *t, void *c) { return 0; }
long bpf_timer_start(struct bpf_timer *t, __u64 ns, __u64 f) { return 0; }
u64 bpf_ktime_get_ns(void) { return 0; }
long bpf_probe_read_kernel_str(void *to, __u32 n, const void *from) { return 0; }
void scx_bpf_dsq_insert___old(struct task_struct *p, u64 dsq, u64 slice, u64 f) {
  if (held) wrong("a task is handed over under a lock");
  if (dsq != SCX_DSQ_LOCAL) wrong("a task goes past the policy");
  if (local[here]) wrong("two tasks for one CPU");
  if (!(((struct fake *)p)->mask.bits[0] >> here & 1)) wrong("a task on a forbidden CPU");
  local[here] = (struct fake *)p;
  p->scx.slice = slice;
}
void scx_bpf_dispatch_cancel(void) {
  if (!local[here]) wrong("nothing to cancel");
  local[here] = 0;
}
void scx_bpf_kick_cpu(s32 cpu, u64 flags) {
  if (held) wrong("a CPU is told under a lock");
}
u32 scx_bpf_nr_cpu_ids(void) { return n_cores; }
s32 scx_bpf_task_cpu(const struct task_struct *p) { return ((struct fake *)p)->cpu; }
u32 scx_bpf_reenqueue_local(void) { return 0; }
const struct cpumask *scx_bpf_get_online_cpumask(void) { return &tasks[0].mask; }
void scx_bpf_put_cpumask(const struct cpumask *m) {}
bool bpf_cpumask_test_cpu(u32 c, const struct cpumask *m) {
  return c < 64 && (m->bits[0] >> c & 1);
}
struct task_struct *bpf_task_from_pid(s32 pid) {
  return pid < 1 || pid > n_tasks ? 0 : &tasks[pid - 1].p;
}
void bpf_task_release(struct task_struct *p) {}

/* {The kernel's side of events} */

static void runs(int c, struct fake *f) {
  running_on[c] = f;
  f->cpu = c;
  local[c] = 0;
  running(&f->p);
}

/* The CPU looks for a task: [prev] ran there, and may go on. */
static void pick(int c, struct fake *prev) {
  here = c;
  bool queued = prev && (prev->p.scx.flags & SCX_TASK_QUEUED);
  if (queued && prev->p.scx.slice) return;
  dispatch(c, prev ? &prev->p : 0);
  if (queued && prev->p.scx.slice) {
    if (local[c]) wrong("a task is kept and another one handed over");
    return;
  }
  struct fake *next = local[c];
  running_on[c] = 0;
  if (queued) enqueue(&prev->p, next ? 0 : SCX_OPS_ENQ_LAST);
  if (next) runs(c, next);
}

static void wakes(struct fake *f, int self, int selects, u64 flags) {
  here = self;
  f->cpu = self;
  f->p.scx.flags |= SCX_TASK_QUEUED;
  if (selects) {
    s32 c = select_cpu(&f->p, self, flags);
    if (c < 0 || c >= n_cores) wrong("no such CPU");
    f->cpu = c;
  }
  enqueue(&f->p, flags);
}

static void stops(int c, u64 flags, unsigned how) {
  struct fake *f = running_on[c];
  here = c;
  f->p.flags |= how;
  quiescent(&f->p, flags);
  f->p.scx.flags &= ~SCX_TASK_QUEUED;
  running_on[c] = 0;
  if (how & PF_EXITING) {
    u32 t = f->number;
    exit_task(&f->p, 0);
    free_threads = 0; /* The number of a thread is not used again. */
    threads[t].next = 0;
  }
}

/* {The state} */

static void show(void) {
  for (int c = 0; c < n_cores; c++) {
    printf("%lld %lld ", cores[c].cload, cores[c].runnable);
    for (int s = 0; s < STATES; s++) {
      if (!counted(s)) continue;
      printf("%lld ", cores[c].count[s]);
      for (s64 t = first_thread(c, s); t; t = s == RUNNING ? 0 : threads[t].next) {
        printf("t%lld ", t - 1);
        if (threads[t].state != s || threads[t].core != c) wrong("a thread elsewhere");
      }
    }
  }
  for (int k = 0; k < THREAD_WORDS; k++)
    for (int i = 0; i < n_tasks; i++) printf("%lld ", threads[i + 1].word[k]);
  for (int k = 0; k < OWN_CORE_WORDS; k++)
    for (int i = 0; i < n_cores; i++) printf("%lld ", cores[i].word[k]);
  for (int k = 0; k < OWN_GROUP_WORDS; k++)
    for (int i = 0; i < topology.groups; i++) printf("%lld ", group_words[i][k]);
  for (int k = 0; k < OWN_DOMAIN_WORDS; k++)
    for (int i = 0; i < topology.domains; i++) printf("%lld ", domain_words[i][k]);
  for (int k = 0; k < GLOBAL_WORDS; k++) printf("%lld ", global_words[k]);
  for (int c = 0; c < n_cores; c++) {
    s64 t = cores[c].current;
    if (running_on[c] ? t != running_on[c]->number : t != 0) wrong("the kernel runs another one");
  }
  printf("\n");
  fflush(stdout);
}

static s64 number(void) {
  long long n;
  if (scanf("%lld", &n) != 1) exit(0);
  return n;
}

/* Reads the number of groups, the cores of each as bits, the number of domains, and the
   cores and groups of each as bits. */
static void learn_topology(void) {
  topology.known = 1;
  topology.cores = n_cores;
  topology.all[0] = n_cores == 64 ? ~0ULL : (1ULL << n_cores) - 1;
  topology.groups = number();
  for (int g = 0; g < topology.groups; g++) topology.group[g].cores[0] = number();
  topology.domains = number();
  for (int d = 0; d < topology.domains; d++) {
    topology.domain[d].cores[0] = number();
    topology.domain[d].groups[0] = number();
  }
}

static void set_word(s64 owner, s64 i, s64 k, s64 v) {
  switch (owner) {
  case 0: threads[i + 1].word[k] = v; break;
  case 1: cores[i].word[k] = v; break;
  case 2: group_words[i][k] = v; break;
  case 3: domain_words[i][k] = v; break;
  case 4: global_words[k] = v; break;
  }
  /* Keys may have changed. */
  for (int c = 0; c < n_cores; c++)
    for (int s = 0; s < STATES; s++) cores[c].queue[s].unsorted = true;
}

int main(void) {
  struct scx_init_task_args args = {.fork = true};
  char command[32];
  n_cores = number();
  n_tasks = number();
  learn_topology();
  if (init()) wrong("init");
  for (int i = 0; i < n_tasks; i++) {
    tasks[i].p.pid = i + 1;
    tasks[i].mask.bits[0] = topology.all[0];
    tasks[i].p.cpus_ptr = &tasks[i].mask;
    if (init_task(&tasks[i].p, &args)) wrong("init_task");
    enable(&tasks[i].p);
  }
  show();
  while (scanf("%31s", command) == 1) {
    if (!strcmp(command, "new") || !strcmp(command, "attach") ||
        !strcmp(command, "unblock")) {
      struct fake *f = &tasks[number()];
      s64 self = number(), selects = number();
      if (*command == 'a') threads[f->number].is_new = false;
      wakes(f, self, selects, *command == 'u' ? SCX_WAKE_TTWU : SCX_WAKE_FORK);
    } else if (!strcmp(command, "block")) {
      stops(number(), SCX_DEQ_SLEEP, 0);
    } else if (!strcmp(command, "terminate")) {
      stops(number(), SCX_DEQ_SLEEP, PF_EXITING);
    } else if (!strcmp(command, "schedule")) {
      pick(number(), 0);
    } else if (!strcmp(command, "tick") || !strcmp(command, "yield")) {
      s64 c = here = number();
      struct fake *f = running_on[c];
      if (*command == 't')
        tick(&f->p);
      else
        yield(&f->p, 0);
      pick(c, f);
    } else if (!strcmp(command, "balancing")) {
      here = number();
      u32 key = 0;
      balance(&alarms, &key, &the_alarm);
    } else if (!strcmp(command, "says")) {
      said_now = number();
      said_random = number();
      said_draw = number();
    } else if (!strcmp(command, "set")) {
      s64 owner = number(), i = number(), k = number(), v = number();
      set_word(owner, i, k, v);
      continue;
    } else if (!strcmp(command, "task")) {
      struct task_struct *p = &tasks[number()].p;
      s64 what = number(), v = number();
      if (what == 0) p->static_prio = v + 120;
      if (what == 1) p->scx.weight = v;
      if (what == 3) p->tgid = v;
      if (what == 4) p->flags = v ? p->flags | PF_KTHREAD : p->flags & ~PF_KTHREAD;
      continue;
    } else if (!strcmp(command, "allow")) {
      struct fake *f = &tasks[number()];
      f->mask.bits[0] = number();
      set_cpumask(&f->p, &f->mask);
    } else
      wrong(command);
    if (held) wrong("a lock is held at the end");
    show();
  }
  return 0;
}
