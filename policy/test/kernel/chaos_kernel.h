/* {The kernel} Calls of the policy run on a CPU, nested or not. */

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

/* on: the CPU on which the kernel's code runs */
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

/* Takes the task out of its queue, changes the task, and puts the task back, as
   sched_change does. */
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

/* Puts the tasks of CPU n's buffer into the local queue. Returns false if another
   CPU must end its operation first. To move a task of another CPU, n releases its
   own lock and takes the lock of that CPU; meanwhile the task may be taken away. */
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

/* The CPU looks for a task. Its lock is held. */
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
        /* The kernel waits for the lock of the task's CPU. */
        if (f->cpu != n && cpus[f->cpu].locked) {
          c->resched = true;
          continue;
        }
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
    /* A task without a thread goes on where the policy chose no thread. */
    if (!next && queued && !prev->number && !c->resched)
      wrong("a CPU idles, and its task waits");
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
