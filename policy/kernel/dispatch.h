/* {Running} */

/* Tells the kernel to run the task on this CPU. */
static __always_inline bool hand_over(u32 t, s32 cpu, struct task_struct *prev,
                                      u32 before) {
  struct thread *it = &threads[AT(t, MAX_THREADS)];
  if (prev && t == before) {
    it->leaving = false;
    prev->scx.slice = FOREVER;
    return true;
  }
  struct task_struct *p = bpf_task_from_pid(it->pid);
  if (!p) return false;
  insert(p, SCX_DSQ_LOCAL, FOREVER, 0);
  bpf_task_release(p);
  /* From here on, if the kernel takes the task away, the kernel drops the insertion
     too. A task that was taken away before has another state or core. */
  if (OBSERVE(it->state) == RUNNING && OBSERVE(it->core) == cpu && allowed(t, cpu))
    return true;
  cancel();
  return false;
}

/* Moves the thread to another core, as if it were stolen: the kernel may take the task
   away meanwhile. */
static __always_inline void sent_away(struct event *e, u32 t) {
  struct thread *it = &threads[AT(t, MAX_THREADS)];
  u32 state = ready_state(0);
  bool goes;
  struct lock *from = lock_of(e->self);
  if (!from) return;
  bpf_spin_lock(&from->lock);
  goes = it->state == RUNNING && it->core == e->self;
  if (goes && it->flight != STILL) {
    goes = false;
    move(e->self, t, state);
  } else if (goes) {
    take_out(t);
    it->chosen_state = state;
    it->stolen = 0;
    it->flight = HELD;
  }
  bpf_spin_unlock(&from->lock);
  if (!goes) return;
  s64 c = LEAST(FOR_CORES, o, allowed(t, o), runnable(o));
  if (c < 0) c = e->self;
  struct lock *to = lock_of(c);
  if (!to) return;
  bpf_spin_lock(&to->lock);
  put(c, t);
  bpf_spin_unlock(&to->lock);
  kick(c);
}

static __noinline u32 schedule(struct event *e) {
  s64 c = e->self;
  struct core *core = &cores[AT(c, MAX_CORES)];
  struct lock *lock = lock_of(c);
  if (!lock) return 0;
  e->target = c;
  bpf_spin_lock(&lock->lock);
  take_out(core->current);
  on_schedule(e);
  u32 t = core->current;
  if (t && core->asleep) {
    core->asleep = false;
    on_exit_idle(e);
  }
  bpf_spin_unlock(&lock->lock);
  return t;
}

/* Runs the events owed to the running thread: [tick] or [yield] may stop it. */
static __noinline bool goes_on(struct event *e) {
  u32 t = e->target;
  struct thread *it = &threads[AT(t, MAX_THREADS)];
  struct lock *lock = lock_of(e->self);
  if (!lock) return true;
  it->since = bpf_ktime_get_ns();
  bpf_spin_lock(&lock->lock);
  if (it->ticked) on_tick(e);
  if (it->yields && it->state == RUNNING) on_yield(e);
  it->ticked = it->yields = false;
  bool on = it->state == RUNNING;
  it->leaving = !on;
  bpf_spin_unlock(&lock->lock);
  return on;
}

static __noinline int falls_asleep(struct event *e) {
  struct core *core = &cores[AT(e->self, MAX_CORES)];
  struct lock *lock = lock_of(e->self);
  if (!lock) return 0;
  e->target = e->self;
  bpf_spin_lock(&lock->lock);
  if (!core->current && !core->asleep) {
    core->asleep = true;
    on_enter_idle(e);
  }
  bpf_spin_unlock(&lock->lock);
  return 0;
}

static __always_inline int newly_idle(struct event *e) {
#ifdef HAS_NEWLY_IDLE
  if (NEWLY_IDLE_ALONE && !alone()) return 0;
  e->target = e->self;
  on_newly_idle(e);
  if (NEWLY_IDLE_ALONE) not_alone();
#endif
  return 0;
}

SEC("struct_ops/dispatch")
void BPF_PROG(dispatch, s32 cpu, struct task_struct *prev) {
  struct event e;
  u32 before = 0;
  if (!serves(cpu)) return;
  begin(&e, cpu, cpu);
  if (prev && (prev->scx.flags & SCX_TASK_QUEUED)) {
    before = thread_of_task(prev);
    struct thread *it = &threads[AT(before, MAX_THREADS)];
    if (before && it->state == RUNNING && it->core == cpu) {
      e.target = before;
      if (goes_on(&e)) {
        prev->scx.slice = FOREVER;
        return;
      }
    }
  }
  u32 t = 0;
  for (u32 round = 0; round < 4 && more(); round += 1 + ZERO) {
    t = schedule(&e);
    if (t && hand_over(t, cpu, prev, before)) return;
    if (t)
      sent_away(&e, t);
    else if (round & 1)
      break;
    else
      newly_idle(&e);
  }
  if (t) kick(cpu); /* more threads may be ready */
  if (prev && (prev->scx.flags & SCX_TASK_QUEUED) && !before) {
    prev->scx.slice = USUAL_SLICE; /* it has no thread, and goes on */
    return;
  }
  falls_asleep(&e);
}

SEC("struct_ops/tick")
void BPF_PROG(tick, struct task_struct *p) {
  u32 t = thread_of_task(p);
  if (!t) return;
  threads[AT(t, MAX_THREADS)].ticked = HAS_TICK;
  if (HAS_TICK || (passed_on && ticks() - passed_on < 1000)) p->scx.slice = 0;
}

SEC("struct_ops/yield")
bool BPF_PROG(yield, struct task_struct *from, struct task_struct *to) {
  u32 t = thread_of_task(from);
  if (to || !t) return false;
  threads[AT(t, MAX_THREADS)].yields = true;
  from->scx.slice = 0;
  return false;
}

SEC("struct_ops/running")
void BPF_PROG(running, struct task_struct *p) {
  u32 t = thread_of_task(p);
  struct thread *it = &threads[AT(t, MAX_THREADS)];
  s64 c = scx_bpf_task_cpu(p); /* may be called from another CPU that changes the
                                  task */
  if (!t) return;
  it->ticked = it->yields = false;
  if (it->state != RUNNING || it->core != c) seize(t, c);
}

/* The task blocks or ends, or the kernel takes the task out of the run queue to
   change the task. */
SEC("struct_ops/quiescent")
void BPF_PROG(quiescent, struct task_struct *p, u64 flags) {
  struct event e;
  u32 t = thread_of_task(p);
  struct thread *it = &threads[AT(t, MAX_THREADS)];
  if (!t) return;
  if (flags & SCX_DEQ_SLEEP) {
    it->slept = ticks();
    it->sleeps = true;
  }
  if ((flags & SCX_DEQ_SLEEP) && it->state == RUNNING) {
    struct lock *lock = lock_of(it->core);
    if (!lock) return;
    begin(&e, it->core, t);
    bpf_spin_lock(&lock->lock);
    if (p->flags & PF_EXITING)
      on_terminate(&e);
    else
      on_block(&e);
    bpf_spin_unlock(&lock->lock);
  }
  withdraw(t);
}

/* The kernel gives the CPU to a higher class of tasks. The tasks in the CPU's local
   queue come back to the policy. */
SEC("struct_ops/cpu_release")
void BPF_PROG(cpu_release, s32 cpu, struct scx_cpu_release_args *args) {
  if (bpf_ksym_exists(scx_bpf_reenqueue_local)) scx_bpf_reenqueue_local();
}
