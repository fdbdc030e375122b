/* {Events} */

/* [new], [attach] or [unblock]: the handler chooses the thread's core and state. */
__noinline int comes(struct event *e __arg_nonnull) {
  u32 t = e->target;
  struct thread *it = &threads[AT(t, MAX_THREADS)];
  bool fresh = it->fresh, is_new = it->is_new;
  it->fresh = it->is_new = false;
  it->chosen_core = e->self;
  it->chosen_state = NOWHERE;
  if (!fresh) {
    slept(t, it->sleeps ? e->clock - it->slept : 0);
    on_unblock(e);
  } else if (is_new)
    on_new(e);
  else
    on_attach(e);
  it->sleeps = false;
  return 0;
}

/* Puts the thread into its chosen state on its chosen core or, if the thread may not
   run there, on another core. Returns false if the handler chose no state, or no
   core may run the thread. */
static __always_inline bool comes_in(u32 t) {
  struct thread *it = &threads[AT(t, MAX_THREADS)];
  if (it->chosen_state < 0 || it->chosen_state >= STATES) return false;
  if (!serves(it->chosen_core) || !allowed(t, it->chosen_core))
    choose(t, -1, it->chosen_state);
  s64 c = it->chosen_core;
  if (!serves(c)) return false;
  struct lock *lock = lock_of(c);
  if (!lock) return false;
  it->since = bpf_ktime_get_ns();
  if (settle(lock, c, t)) kick(c);
  return true;
}

/* The time slice of a task without a thread: the kernel's default, in ns. */
#define USUAL_SLICE 20000000

/* The time at which a task was last put into the kernel's own queue. A CPU looks at
   that queue when its running thread stops, before it asks the policy. So for some
   time `tick` stops running threads. */
u64 passed_on;

static __always_inline void pass_on(struct task_struct *p, u64 flags) {
  passed_on = ticks();
  insert(p, SCX_DSQ_GLOBAL, USUAL_SLICE, flags);
  kick(scx_bpf_task_cpu(p));
  FOR_CORES(c, !OBSERVE(cores[AT(c, MAX_CORES)].current) &&
                   bpf_cpumask_test_cpu(c, p->cpus_ptr))
    kick(c);
}

SEC("struct_ops/select_cpu")
s32 BPF_PROG(select_cpu, struct task_struct *p, s32 previous, u64 flags) {
  struct event e;
  u32 t = thread_of_task(p);
  struct thread *it = &threads[AT(t, MAX_THREADS)];
  if (!t || !(flags & (SCX_WAKE_FORK | SCX_WAKE_TTWU)) || it->state != NOWHERE)
    return previous;
  learn(t, p);
  begin(&e, bpf_get_smp_processor_id(), t);
  e.waker = waker_of(&e);
  comes(&e);
  it->chosen = true;
  s64 c = it->chosen_core;
  return serves(c) && allowed(t, c) ? c : previous;
}

SEC("struct_ops/enqueue")
void BPF_PROG(enqueue, struct task_struct *p, u64 flags) {
  struct event e;
  u32 t = thread_of_task(p);
  struct thread *it = &threads[AT(t, MAX_THREADS)];
  if (!t) {
    pass_on(p, flags);
    return;
  }
  it->pid = p->pid;
  /* The kernel moves a task that may not stay on its CPU without telling the policy. */
  if (it->state != NOWHERE &&
      (!allowed(t, it->core) ||
       (it->state == RUNNING && it->core != scx_bpf_task_cpu(p))))
    withdraw(t);
  if (it->leaving) {
    it->leaving = false;
    return;
  }
  if (it->state == RUNNING) {
    struct lock *lock = lock_of(it->core);
    if (!lock) return;
    begin(&e, it->core, t);
    bpf_spin_lock(&lock->lock);
    on_yield(&e);
    bpf_spin_unlock(&lock->lock);
    if (it->state == RUNNING) insert(p, SCX_DSQ_LOCAL, FOREVER, flags);
    kick(e.self);
    return;
  }
  if (it->state != NOWHERE) return;
  begin(&e, scx_bpf_task_cpu(p), t);
  if (!it->chosen) {
    withdraw(t); /* a thief may hold it */
    learn(t, p);
    comes(&e);
  }
  it->chosen = false;
  if (!comes_in(t)) pass_on(p, flags);
}
