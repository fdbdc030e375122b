/* The tasks and CPUs of the kernel around a policy, and the kernel's functions called
   by the policy. */

enum ops_state { NONE, QUEUEING, QUEUED };

static struct fake {
  struct task_struct p;
  u32 number; /* number of the task's storage */
  int cpu;
  struct cpumask mask, one, *seen;
  bool alive, runnable, rt, exiting, pinned; /* pinned: may not migrate now */
  bool waking, migrating, pending, misplaced;
  enum ops_state ops;
  u64 seq;
  u64 direct;
  int holding; /* the CPU about to move the task to its queue, or -1 */
} tasks[TASKS];

static struct cpu {
  struct fake *current, *local[TASKS];
  int locals;
  bool locked, busy, rt, resched, suspended, moves;
  struct {
    struct fake *task;
    u64 seq;
  } buffer[8];
  int buffered, rounds;
} cpus[CPUS];

static struct fake *global[TASKS];
static int globals;
static struct cpumask online;
static bool bypass;
static u32 here;
static int held, depth;
static u64 seqs;
static bool in_dispatch;
static struct fake *in_enqueue;
static long long operations;
long long said_now, said_random, said_draw;

static char past[40][80];
static int pasts;
#define SAY(...) snprintf(past[pasts++ % 40], 80, __VA_ARGS__)

static void wrong(const char *what) {
  for (int i = pasts > 40 ? pasts - 40 : 0; i < pasts; i++)
    printf("  %s\n", past[i % 40]);
  printf("wrong: %s, operation %lld\n", what, operations);
  fflush(stdout);
  exit(1);
}

static u64 chance_state;
static u32 below(u32 n) {
  chance_state = chance_state * 6364136223846793005ULL + 1442695040888963407ULL;
  return (chance_state >> 33) % n;
}

#define NAME(f) ((int)((f)-tasks))

/* {Helpers} */

static struct lock all_locks[MAX_CORES + 1];
static struct alarm the_alarm;
static void point(void);

void *bpf_map_lookup_elem(void *map, const void *key) {
  if (map == (void *)&alarms) return &the_alarm;
  point();
  return *(u32 *)key > MAX_CORES ? 0 : &all_locks[*(u32 *)key];
}
void *bpf_task_storage_get(void *map, struct task_struct *p, void *v, __u64 f) {
  return &((struct fake *)p)->number;
}
void bpf_spin_lock(struct bpf_spin_lock *lock) {
  point();
  if (held++) wrong("two locks at once");
}
void bpf_spin_unlock(struct bpf_spin_lock *lock) {
  held--;
  point();
}
u32 bpf_get_smp_processor_id(void) { return here; }
u64 bpf_ktime_get_ns(void) { return said_now * 1000; }
long bpf_timer_init(struct bpf_timer *t, void *m, __u64 f) { return 0; }
long bpf_timer_set_callback(struct bpf_timer *t, void *c) { return 0; }
long bpf_timer_start(struct bpf_timer *t, __u64 ns, __u64 f) { return 0; }
long bpf_probe_read_kernel_str(void *to, __u32 n, const void *from) { return 0; }

void scx_bpf_dsq_insert___old(struct task_struct *p, u64 dsq, u64 slice, u64 f) {
  struct fake *t = (struct fake *)p;
  if (held) wrong("a task is handed over under a lock");
  point();
  if (in_enqueue) {
    if (in_enqueue != t) wrong("another task than the one that comes");
    if (t->direct) wrong("handed over twice");
    t->direct = dsq;
  } else if (in_dispatch) {
    struct cpu *c = &cpus[here];
    if (c->buffered == 8) wrong("too many are handed over");
    if (dsq != SCX_DSQ_LOCAL) wrong("a task goes past the policy");
    c->buffer[c->buffered].task = t;
    c->buffer[c->buffered++].seq = t->ops == NONE ? 0 : t->seq;
  } else
    wrong("no task may be handed over now");
  p->scx.slice = slice;
  point();
}
void scx_bpf_dispatch_cancel(void) {
  if (!in_dispatch || !cpus[here].buffered) wrong("nothing to cancel");
  cpus[here].buffered--;
}
void scx_bpf_kick_cpu(s32 c, u64 flags) {
  if (held) wrong("a CPU is told under a lock");
  if (c < 0 || c >= CPUS) wrong("no such CPU");
  if (!(flags & SCX_KICK_IDLE) || !cpus[c].current || cpus[c].busy)
    cpus[c].resched = true;
  point();
}
u32 scx_bpf_nr_cpu_ids(void) { return CPUS; }
s32 scx_bpf_task_cpu(const struct task_struct *p) { return ((struct fake *)p)->cpu; }
const struct cpumask *scx_bpf_get_online_cpumask(void) { return &online; }
void scx_bpf_put_cpumask(const struct cpumask *m) {}
bool bpf_cpumask_test_cpu(u32 c, const struct cpumask *m) {
  return c < 64 && (m->bits[0] >> c & 1);
}
struct task_struct *bpf_task_from_pid(s32 pid) {
  point();
  return pid < 1 || pid > TASKS || !tasks[pid - 1].alive ? 0 : &tasks[pid - 1].p;
}
void bpf_task_release(struct task_struct *p) {}
