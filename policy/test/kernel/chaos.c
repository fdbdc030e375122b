/* A generated scheduler in this process, and around it a kernel that does whatever
   kernel/sched/core.c and ext.c may do, at random: tasks wake, block, end, are
   forked, change their affinity and their class, may not migrate, are preempted;
   another CPU acts wherever no lock of the policy is held. After each operation
   every task is looked for.

     cc -DPOLICY='"fifo.bpf.c"' chaos.c; ./a.out SEED OPERATIONS                  */

#include <stdio.h>
extern void exit(int);
extern void *malloc(unsigned long);
extern long long atoll(const char *);
extern unsigned alarm(unsigned);
#include <string.h>
#include POLICY

/* A policy may have functions of these names. */
#define pick kernel_picks
#define drop kernel_drops
#define check kernel_is_right

#define TASKS 80
#define CPUS 6

enum ops_state { NONE, QUEUEING, QUEUED };

static struct fake {
  struct task_struct p;
  u32 number; /* its storage */
  int cpu;
  struct cpumask mask, one, *seen;
  bool alive, runnable, rt, exiting, pinned; /* pinned: it may not migrate now */
  bool waking, migrating, pending, misplaced;
  enum ops_state ops;
  u64 seq;
  u64 direct;
  int holding; /* the CPU that is about to move it here, or -1 */
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
    wrong("nobody may hand over a task now");
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

/* {The kernel} Calls of the policy run on a CPU, within another or not. */

#define CALL(on, code)                                                         \
  do {                                                                         \
    u32 here_ = here;                                                          \
    bool dispatch_ = in_dispatch;                                              \
    struct fake *enqueue_ = in_enqueue;                                        \
    here = (on);                                                               \
    in_dispatch = false;                                                       \
    in_enqueue = 0;                                                            \
    code;                                                                      \
    if (held) wrong("a lock is held at the end");                              \
    here = here_;                                                              \
    in_dispatch = dispatch_;                                                   \
    in_enqueue = enqueue_;                                                     \
  } while (0)

static bool may(struct fake *f, int c) { return f->seen->bits[0] >> c & 1; }
static bool is_online(int c) { return online.bits[0] >> c & 1; }

static void drop(struct fake **list, int *n, struct fake *f) {
  for (int i = 0; i < *n; i++)
    if (list[i] == f) {
      memmove(list + i, list + i + 1, (--*n - i) * sizeof *list);
      return;
    }
}

static void to_local(struct fake *f, bool head) {
  struct cpu *c = &cpus[f->cpu];
  if (head) {
    memmove(c->local + 1, c->local, c->locals++ * sizeof f);
    c->local[0] = f;
  } else
    c->local[c->locals++] = f;
  if (!c->current && !c->busy) c->resched = true;
}

/* on: the CPU where the kernel's code runs */
static void enqueue_task(int on, struct fake *f, u64 flags, bool sticky) {
  f->p.scx.flags |= SCX_TASK_QUEUED;
  if (sticky) return to_local(f, false);
  if (bypass) {
    global[globals++] = f;
  } else if (f->exiting || f->pinned) {
    f->p.scx.slice = 20000000;
    to_local(f, false);
  } else {
    f->ops = QUEUEING;
    f->seq = ++seqs;
    f->direct = 0;
    CALL(on, in_enqueue = f; enqueue(&f->p, flags));
    f->ops = f->direct ? NONE : QUEUED;
    if (f->direct == SCX_DSQ_LOCAL)
      to_local(f, false);
    else if (f->direct)
      global[globals++] = f;
  }
}

static void dequeue_task(int on, struct fake *f, u64 flags, bool tell) {
  if (f->ops == QUEUEING) wrong("the test: it is being enqueued");
  f->ops = NONE;
  if (tell) CALL(on, quiescent(&f->p, flags));
  f->p.scx.flags &= ~SCX_TASK_QUEUED;
  f->holding = -1;
  drop(cpus[f->cpu].local, &cpus[f->cpu].locals, f);
  drop(global, &globals, f);
}

static void set_next(int on, int c, struct fake *f) {
  drop(cpus[c].local, &cpus[c].locals, f);
  cpus[c].current = f;
  CALL(on, running(&f->p));
}

/* As sched_change: out of its queue, changed, and back. */
#define CHANGE(on, f, change)                                                  \
  do {                                                                         \
    bool queued_ = (f)->runnable && !(f)->rt;                                  \
    bool current_ = cpus[(f)->cpu].current == (f);                             \
    if (queued_) dequeue_task(on, f, 0, true);                                 \
    change;                                                                    \
    if (queued_) enqueue_task(on, f, 0, current_);                             \
    if (queued_ && current_) set_next(on, (f)->cpu, f);                        \
  } while (0)

static void put_prev(int c, struct fake *f, bool idle_next) {
  if (!(f->p.scx.flags & SCX_TASK_QUEUED)) return;
  if (f->p.scx.slice && !bypass)
    to_local(f, true);
  else
    enqueue_task(c, f, idle_next ? SCX_OPS_ENQ_LAST : 0, false);
}

/* False if another CPU has first to end what it does. Meanwhile a task that is to be
   moved here may be taken away, as the own lock is given back for the other. */
static bool flush(int n) {
  struct cpu *c = &cpus[n];
  while (c->buffered) {
    struct fake *f = c->buffer[0].task;
    if (!c->moves && f->ops != NONE && f->seq == c->buffer[0].seq) {
      if (f->ops == QUEUEING) return false;
      if (!may(f, n) || f->pinned) wrong("a task on a forbidden CPU");
      f->ops = NONE;
      f->holding = n;
      c->moves = true;
      if (f->cpu != n) {
        c->locked = false;
        point();
      }
    }
    if (c->moves) {
      if (f->holding == n && f->cpu != n && cpus[f->cpu].locked) return false;
      c->moves = false;
      c->locked = true;
      if (f->holding == n) {
        f->holding = -1;
        f->cpu = n;
        to_local(f, false);
      }
    }
    memmove(c->buffer, c->buffer + 1, --c->buffered * sizeof c->buffer[0]);
  }
  return true;
}

static void switches(int n, struct fake *prev, struct fake *next) {
  struct cpu *c = &cpus[n];
  if (prev) put_prev(n, prev, !next);
  c->current = 0;
  if (next) set_next(n, n, next);
  if (prev && prev->pinned && prev->seen == &prev->mask) {
    prev->one.bits[0] = 1ULL << n;
    CHANGE(n, prev, prev->seen = &prev->one; prev->p.cpus_ptr = prev->seen;
           CALL(n, set_cpumask(&prev->p, prev->seen)));
  }
}

/* The CPU looks for a task; its lock is held. */
static void goes_on_picking(int n, bool flushes) {
  struct cpu *c = &cpus[n];
  struct fake *prev = c->current, *next = 0;
  for (;;) {
    bool queued = prev && (prev->p.scx.flags & SCX_TASK_QUEUED);
    if (flushes) {
      int some = c->buffered;
      if (!flush(n)) {
        c->suspended = true;
        return;
      }
      queued = prev && (prev->p.scx.flags & SCX_TASK_QUEUED);
      flushes = false;
      if (queued && prev->p.scx.slice) break;
      if (c->locals) break;
      if (!some) break;
      if (++c->rounds > 32) {
        c->resched = true;
        break;
      }
    }
    if (queued && prev->p.scx.slice && !bypass) break;
    if (c->locals) break;
    for (int i = 0; i < globals && !c->locals; i++)
      if (may(global[i], n)) {
        struct fake *f = global[i];
        drop(global, &globals, f);
        f->cpu = n;
        to_local(f, false);
      }
    if (c->locals || bypass) break;
    CALL(n, in_dispatch = true; dispatch(n, prev ? &prev->p : 0));
    flushes = true;
    if (!c->buffered) {
      if (queued && prev->p.scx.slice) break;
      flushes = false;
      break;
    }
  }
  bool queued = prev && (prev->p.scx.flags & SCX_TASK_QUEUED);
  if (queued && ((prev->p.scx.slice && !bypass) || (bypass && !c->locals))) {
    if (bypass) prev->p.scx.slice = 20000000;
  } else {
    next = c->locals ? c->local[0] : 0;
    switches(n, prev, next);
  }
  c->busy = c->locked = c->suspended = false;
}

static void pick(int n) {
  struct cpu *c = &cpus[n];
  c->busy = c->locked = true;
  c->resched = false;
  c->rounds = c->buffered = 0;
  goes_on_picking(n, false);
}

static void resume(int n) {
  if (cpus[n].moves && cpus[n].locked) return;
  cpus[n].suspended = false;
  goes_on_picking(n, true);
}

u32 scx_bpf_reenqueue_local(void) {
  struct cpu *c = &cpus[here];
  struct fake *some[TASKS];
  int n = 0, on = here;
  for (int i = 0; i < c->locals; i++)
    if (!c->local[i]->pending) some[n++] = c->local[i];
  for (int i = 0; i < n; i++) drop(c->local, &c->locals, some[i]);
  for (int i = 0; i < n; i++) enqueue_task(on, some[i], 0, false);
  return n;
}

/* A higher class takes the CPU. */
static void preempted(int n) {
  struct cpu *c = &cpus[n];
  struct fake *prev = c->current;
  c->busy = c->locked = true;
  if (prev) put_prev(n, prev, false);
  c->current = 0;
  CALL(n, cpu_release(n, 0));
  c->busy = c->locked = false;
}

/* {What happens} Each returns false if it cannot happen now. */

static bool is_free(int c) { return !cpus[c].locked && !cpus[c].busy; }

static int some_cpu(void) {
  for (int i = 0; i < 20; i++) {
    int c = below(CPUS);
    if (is_online(c) && is_free(c)) return c;
  }
  return -1;
}

/* One that a thief holds, rather than others. */
static struct fake *on_its_way(void) {
  for (int i = 0; i < TASKS; i++)
    if (tasks[i].alive && tasks[i].number && threads[tasks[i].number].flight != STILL &&
        !tasks[i].waking && !tasks[i].migrating && !tasks[i].exiting)
      return &tasks[i];
  return 0;
}

static struct fake *some_task(void) {
  struct fake *way = depth > 1 && below(4) ? on_its_way() : 0;
  if (way) return way;
  for (int i = 0; i < 20; i++) {
    struct fake *f = &tasks[below(TASKS)];
    if (f->alive && !f->waking && !f->migrating && !f->exiting && !f->rt) return f;
  }
  return 0;
}

static int allowed_cpu(struct fake *f, bool unlocked) {
  int from = below(CPUS);
  for (int i = 0; i < CPUS; i++) {
    int c = (from + i) % CPUS;
    if (is_online(c) && may(f, c) && (!unlocked || !cpus[c].locked)) return c;
  }
  return -1;
}

static bool arrives(int on, struct fake *f) {
  if (cpus[f->cpu].locked) return false;
  f->waking = f->migrating = false;
  cpus[f->cpu].locked = true;
  f->runnable = true;
  enqueue_task(on, f, 0, false);
  cpus[f->cpu].locked = false;
  if (!cpus[f->cpu].current) cpus[f->cpu].resched = true;
  return true;
}

static bool wakes(int on, struct fake *f, u64 flags) {
  if (f->runnable) return false;
  for (int c = 0; c < CPUS; c++)
    if (cpus[c].current == f) return false; /* it is still being switched out */
  SAY("%d wakes %d", on, NAME(f));
  f->waking = true;
  s32 to = f->cpu;
  if (!f->pinned && (f->seen->bits[0] & (f->seen->bits[0] - 1)) && !bypass) {
    cpus[on].busy = true;
    CALL(on, to = select_cpu(&f->p, f->cpu, flags));
    cpus[on].busy = false;
    if (to < 0 || to >= CPUS) wrong("no such CPU");
  }
  if (!may(f, to) || !is_online(to)) to = allowed_cpu(f, false);
  f->cpu = to;
  arrives(on, f); /* or later */
  return true;
}

static bool forks(int on) {
  struct scx_init_task_args args = {.fork = true};
  struct fake *f = 0;
  for (int i = 0; i < TASKS && !f; i++)
    if (!tasks[i].alive) f = &tasks[i];
  if (!f) return false;
  SAY("%d forks %d", on, NAME(f));
  f->p.flags = 0;
  f->p.scx.flags = 0;
  f->p.static_prio = 120;
  f->mask.bits[0] = ~0ULL;
  f->seen = &f->mask;
  f->p.cpus_ptr = f->seen;
  f->exiting = f->pinned = f->rt = f->runnable = false;
  f->holding = -1;
  f->ops = NONE;
  f->cpu = on;
  f->waking = true;
  f->alive = true;
  if (init_task(&f->p, &args)) wrong("init_task");
  CALL(on, enable(&f->p));
  return wakes(on, f, SCX_WAKE_FORK);
}

static bool blocks(int n) {
  struct cpu *c = &cpus[n];
  struct fake *f = c->current;
  if (!f || c->rt) return false;
  SAY("%d on %d %s", NAME(f), n, f->exiting ? "ends" : "blocks");
  c->busy = c->locked = true;
  dequeue_task(n, f, SCX_DEQ_SLEEP, true);
  f->runnable = false;
  c->resched = false;
  c->rounds = c->buffered = 0;
  if (f->exiting) f->waking = true; /* nobody else changes it */
  goes_on_picking(n, false);
  if (f->exiting && cpus[n].suspended) return true; /* it is buried later */
  if (f->exiting) {
    CALL(n, exit_task(&f->p, 0));
    f->alive = false;
    f->waking = false;
  }
  return true;
}

/* A task that may not stay where it is. Its lock is not held. */
static void moves_away(int on, struct fake *f) {
  int from = f->cpu;
  if (cpus[from].current == f) {
    f->pending = true;
    cpus[from].busy = cpus[from].locked = true;
    put_prev(from, f, false);
    cpus[from].current = 0;
    CALL(from, cpu_release(from, 0));
    cpus[from].resched = true;
    f->pending = false;
    cpus[from].busy = false;
  }
  cpus[from].locked = true;
  dequeue_task(on, f, 0, false);
  cpus[from].locked = false;
  int to = allowed_cpu(f, true);
  f->migrating = true;
  f->cpu = to < 0 ? allowed_cpu(f, false) : to;
  if (to >= 0) arrives(on, f);
}

static void replaced(int on, struct fake *f) {
  cpus[f->cpu].locked = false;
  f->misplaced = f->waking = false;
  moves_away(on, f);
}

static bool affinity(int on, struct fake *f) {
  if (f->pinned) return false;
  if (f->runnable && !is_free(f->cpu)) return false;
  u64 bits = below(2) ? below(1 << CPUS) : 1ULL << below(CPUS);
  bits |= (u64)below(2) << 40;
  if (!(bits & online.bits[0])) return false;
  SAY("%d sets the affinity of %d: %llx", on, NAME(f), bits);
  bool was = f->runnable;
  if (was) cpus[f->cpu].locked = true;
  f->waking = true;
  CHANGE(on, f, f->mask.bits[0] = bits; CALL(on, set_cpumask(&f->p, &f->mask)));
  if (was && !(bits >> f->cpu & 1) && cpus[f->cpu].current != f) {
    f->misplaced = true; /* under the lock of its CPU */
    return true;
  }
  if (was) cpus[f->cpu].locked = false;
  f->waking = false;
  if (was && !(bits >> f->cpu & 1)) moves_away(on, f);
  return true;
}

static bool renices(int on, struct fake *f) {
  if (f->runnable && !is_free(f->cpu)) return false;
  SAY("%d renices %d", on, NAME(f));
  bool was = f->runnable;
  if (was) cpus[f->cpu].locked = true;
  f->waking = true;
  CHANGE(on, f, f->p.static_prio = 100 + below(40); f->p.scx.weight = 1 + below(1000));
  if (was) cpus[f->cpu].locked = false;
  f->waking = false;
  return true;
}

/* To another class, and back. */
static bool reclasses(int on, struct fake *f) {
  if (!f->runnable || f->pinned || !is_free(f->cpu) || cpus[f->cpu].current == f)
    return false;
  SAY("%d reclasses %d", on, NAME(f));
  int c = f->cpu;
  cpus[c].locked = true;
  f->waking = true;
  dequeue_task(on, f, 0, true);
  f->p.scx.flags = 0;
  CALL(on, enable(&f->p));
  enqueue_task(on, f, 0, false);
  f->waking = false;
  cpus[c].locked = false;
  if (!cpus[c].current) cpus[c].resched = true;
  return true;
}

static bool pins(int n) {
  struct fake *f = cpus[n].current;
  if (!f || f->exiting || cpus[n].rt) return false;
  SAY("%d on %d may not migrate: %d", NAME(f), n, !f->pinned);
  f->pinned = !f->pinned;
  if (!f->pinned && f->seen != &f->mask) {
    cpus[n].locked = true;
    cpus[n].busy = true;
    CHANGE(n, f, f->seen = &f->mask; f->p.cpus_ptr = f->seen;
           CALL(n, set_cpumask(&f->p, f->seen)));
    cpus[n].locked = false;
    cpus[n].busy = false;
    if (!may(f, n)) wrong("the test: a pinned task is elsewhere");
  }
  return true;
}

static bool balances(int n) {
  u32 key = 0;
  SAY("%d balances", n);
  CALL(n, balance(&alarms, &key, &the_alarm));
  return true;
}

static void bypasses(bool on) {
  SAY("bypass %d", on);
  bypass = on;
  for (int i = 0; i < TASKS; i++) {
    struct fake *f = &tasks[i];
    if (!f->alive || !f->runnable) continue;
    cpus[f->cpu].locked = true;
    f->waking = true;
    CHANGE(f->cpu, f, (void)0);
    f->waking = false;
    cpus[f->cpu].locked = false;
  }
  for (int c = 0; c < CPUS; c++)
    if (is_online(c)) {
      cpus[c].resched = true;
      if (cpus[c].current) cpus[c].current->p.scx.slice = 0;
    }
}

static bool too_many_tasks; /* more tasks than there are numbers */

static bool act(void) {
  int n = some_cpu();
  struct fake *f = some_task();
  if (n < 0) return false;
  struct cpu *c = &cpus[n];
  said_now++;
  said_draw = below(1 << 20);
  said_random = below(1 << 30);
  for (int i = 0; i < CPUS; i++)
    if (cpus[i].suspended && below(2)) {
      SAY("%d resumes", i);
      resume(i);
      return true;
    }
  for (int i = 0; i < TASKS; i++)
    if (tasks[i].alive && tasks[i].misplaced && below(2)) {
      SAY("%d is put elsewhere", i);
      replaced(n, &tasks[i]);
      return true;
    }
  for (int i = 0; i < TASKS; i++)
    if (tasks[i].alive && (tasks[i].migrating || (tasks[i].waking && !tasks[i].exiting &&
                                                 !tasks[i].runnable && depth == 1))) {
      if (below(2)) return arrives(n, &tasks[i]);
    }
  switch (below(20)) {
  case 0: return forks(n);
  case 1:
  case 2:
  case 3: return f && wakes(n, f, SCX_WAKE_TTWU);
  case 4:
  case 5: return blocks(n);
  case 6:
    if (c->current && !c->rt && !c->current->pinned && !below(too_many_tasks ? 8 : 2)) {
      c->current->exiting = true;
      c->current->p.flags |= PF_EXITING;
      SAY("%d on %d is to end", NAME(c->current), n);
    }
    return true;
  case 7:
  case 8: return f && affinity(n, f);
  case 9: return f && renices(n, f);
  case 10: return f && reclasses(n, f);
  case 11: return pins(n);
  case 12:
    if (c->rt) {
      c->rt = false;
      c->resched = true;
      SAY("%d is given back", n);
    } else if (!below(3)) {
      SAY("%d is taken by a higher class", n);
      preempted(n);
      c->rt = true;
    }
    return true;
  case 13:
    return balances(n);
  case 14:
  case 15:
    if (!c->current) return false;
    SAY("%d on %d: tick", NAME(c->current), n);
    c->busy = true;
    CALL(n, tick(&c->current->p));
    c->busy = false;
    if (!c->current->p.scx.slice) c->resched = true;
    if (bypass || c->current->p.scx.slice < FOREVER) {
      c->current->p.scx.slice = 0;
      c->resched = true;
    }
    return true;
  case 16:
    if (!c->current) return false;
    SAY("%d on %d: yield", NAME(c->current), n);
    CALL(n, yield(&c->current->p, 0));
    c->resched = true;
    return true;
  default:
    if (c->resched && !c->rt) {
      SAY("%d picks", n);
      pick(n);
    }
    return true;
  }
}

/* Another CPU, or an interrupt, between two steps of the policy. */
static void point(void) {
  if (held || depth == 0 || depth > 2 || below(on_its_way() ? 3 : 12)) return;
  long long now = said_now, draw = said_draw, r = said_random;
  depth++;
  act();
  depth--;
  said_draw = draw;
  said_random = r;
  (void)now;
}

/* {What has to be true} */

static void fault(struct fake *f, const char *what) {
  struct thread *it = &threads[f->number];
  SAY("task %d, thread %u: cpu %d, mask %llx, state %d of core %d, flight %u, leaving %d",
      NAME(f), f->number, f->cpu, (u64)f->seen->bits[0], it->state, it->core, it->flight,
      it->leaving);
  wrong(what);
}

static void check_tables(void) {
  static u8 seen[MAX_THREADS];
  memset(seen, 0, sizeof seen);
  for (int c = 0; c < MAX_CORES; c++) {
    s64 load = 0, all = 0;
    for (int s = 0; s < STATES; s++) {
      s64 n = 0;
      u32 before = 0;
      if (s == RUNNING) {
        u32 t = cores[c].current;
        if (t) {
          if (seen[t]++ || threads[t].state != s || threads[t].core != c)
            wrong("a running thread is elsewhere");
          n = 1, load += threads[t].load;
        }
      } else if (counted(s)) {
        for (u32 t = cores[c].queue[s].first; t; t = threads[t].next) {
          if (seen[t]++) wrong("a thread stands in two places");
          if (threads[t].state != s || threads[t].core != c) wrong("a thread is elsewhere");
          if (threads[t].previous != before) wrong("a queue is linked badly");
          if (before && has_keys(s) && !cores[c].queue[s].unsorted) {
            keys_of(t, s);
            if (stands_before(t, before, s)) wrong("a queue is out of order");
          }
          if (!serves(c)) wrong("a thread waits at no core");
          before = t;
          n++, load += threads[t].load;
        }
        if (cores[c].queue[s].last != before) wrong("the end of a queue");
      } else
        continue;
      if (cores[c].count[s] != n) wrong("a count");
      if (displaced_to(s) != NOWHERE && n > 1) wrong("two threads in a state of one");
      all += n;
    }
    if (cores[c].cload != load) wrong("cload");
    if (cores[c].runnable != all) wrong("runnable");
  }
  for (u32 t = 1; t < used; t++) {
    if (!seen[t] && threads[t].state != NOWHERE) wrong("a thread stands nowhere");
    if (threads[t].flight != STILL) wrong("a thread is still on its way");
  }
}

static bool contains(struct fake **list, int n, struct fake *f) {
  for (int i = 0; i < n; i++)
    if (list[i] == f) return true;
  return false;
}

static void check_task(struct fake *f) {
  u32 t = f->number;
  struct thread *it = &threads[t];
  if (!f->alive) return;
  if (!f->runnable) {
    if (t && it->state != NOWHERE) fault(f, "a thread that sleeps is ready");
    return;
  }
  if (cpus[f->cpu].current == f) {
    if (t && serves(f->cpu) && !(f->p.scx.flags & SCX_TASK_QUEUED)) fault(f, "out of its class");
    if (t && (it->state != RUNNING || it->core != f->cpu)) fault(f, "a task runs elsewhere");
    return;
  }
  bool local = contains(cpus[f->cpu].local, cpus[f->cpu].locals, f);
  bool anywhere = contains(global, globals, f);
  if (local + anywhere + (f->ops == QUEUED) != 1) fault(f, "a task is lost, or doubled");
  if (local) {
    /* What ends or is pinned comes back to the local queue without a word. */
    if (t && it->state != NOWHERE && ((it->state != RUNNING && !it->leaving) || it->core != f->cpu))
      fault(f, "a task of a local queue is ready elsewhere");
  } else if (anywhere) {
    if (t && it->state != NOWHERE && it->state != RUNNING && !it->leaving)
      fault(f, "a task of the global queue is ready");
  } else {
    if (!t) fault(f, "a task of no thread is left to the policy");
    if (it->state == NOWHERE) fault(f, "a ready task is lost");
    if (it->state == RUNNING) fault(f, "a ready task is said to run");
    if (!allowed(t, it->core)) fault(f, "a ready task waits where it may not run");
    if (it->leaving) fault(f, "a ready task is still leaving");
  }
}

static void settle_down(void) {
  for (int again = 1, rounds = 0; again;) {
    again = 0;
    for (int i = 0; i < CPUS; i++)
      if (cpus[i].suspended) resume(i), again = 1;
    for (int i = 0; i < TASKS; i++)
      if (tasks[i].alive) {
        struct fake *f = &tasks[i];
        if (f->exiting && f->waking) {
          if (f->runnable) wrong("the test: it ends twice");
          CALL(0, exit_task(&f->p, 0));
          f->alive = f->waking = false;
        } else if (f->misplaced) {
          int on = some_cpu();
          if (!below(4) && on >= 0) balances(on);
          if (f->misplaced) replaced(0, f);
          again = 1;
        } else if (f->migrating || (f->waking && !f->misplaced))
          arrives(0, f), again = 1;
      }
    if (rounds++ > 1000) wrong("the test: it does not settle");
  }
}

static void check(void) {
  check_tables();
  for (int i = 0; i < TASKS; i++) check_task(&tasks[i]);
}

/* Whoever should look for a task does: then no CPU idles beside a ready thread of
   its core, nor beside its own queue. */
static void drain(void) {
  for (int rounds = 0;; rounds++) {
    int n = -1;
    if (rounds > 10000) wrong("CPUs look for tasks for ever");
    for (int c = 0; c < CPUS && n < 0; c++)
      if (cpus[c].resched && !cpus[c].rt) n = c;
    if (n < 0) break;
    pick(n);
    settle_down();
    check();
  }
  for (int c = 0; c < CPUS; c++) {
    if (!is_online(c) || cpus[c].rt || cpus[c].current) continue;
    if (cpus[c].locals) wrong("a CPU idles beside its queue");
    for (int i = 0; i < globals; i++)
      if (may(global[i], c)) wrong("a CPU idles beside the global queue");
    if (cores[c].runnable) wrong("a CPU idles beside a ready thread of its core");
  }
}

static void some_topology(u32 which) {
  online.bits[0] = which & 4 ? 0x1b : 0x3f;
  topology.known = 0;
  if (!(which & 3)) return;
  topology.known = 1;
  topology.cores = CPUS;
  topology.all[0] = online.bits[0];
  if ((which & 3) == 1) {
    topology.groups = 2;
    topology.group[0].cores[0] = 0x07 & online.bits[0];
    topology.group[1].cores[0] = 0x38 & online.bits[0];
    topology.domains = 1;
    topology.domain[0].cores[0] = online.bits[0];
    topology.domain[0].groups[0] = 3;
  } else {
    topology.groups = CPUS + 2;
    for (int c = 0; c < CPUS; c++)
      topology.group[c].cores[0] = (1ULL << c) & online.bits[0];
    topology.group[CPUS].cores[0] = 0x07 & online.bits[0];
    topology.group[CPUS + 1].cores[0] = 0x38 & online.bits[0];
    topology.domains = 3;
    topology.domain[0].cores[0] = 0x07 & online.bits[0];
    topology.domain[0].groups[0] = 0x07;
    topology.domain[1].cores[0] = 0x38 & online.bits[0];
    topology.domain[1].groups[0] = 0x38;
    topology.domain[2].cores[0] = online.bits[0];
    topology.domain[2].groups[0] = 0xc0;
  }
}

int main(int argc, char **argv) {
  chance_state = argc > 1 ? atoll(argv[1]) : 1;
  long long last = argc > 2 ? atoll(argv[2]) : 10000;
  alarm(60);
  below(2);
  some_topology(below(8));
  too_many_tasks = !below(3);
  for (int i = 0; i < TASKS; i++) tasks[i].p.pid = i + 1;
  if (init()) wrong("init");
  for (operations = 1; operations <= last; operations++) {
    depth = 1;
    act();
    settle_down();
    depth = 0;
    check();
    if (!below(50)) drain();
    if (!below(400)) {
      bypasses(true);
      check();
      for (int i = below(20); i > 0; i--) {
        act();
        settle_down();
        check();
      }
      bypasses(false);
      settle_down();
      check();
      drain();
    }
  }
  drain();
  bypasses(true);
  for (int i = 0; i < TASKS; i++)
    if (tasks[i].alive) exit_task(&tasks[i].p, 0);
  for (int c = 0; c < CPUS; c++)
    if (cores[c].runnable) wrong("a thread is left at the end");
  return 0;
}
