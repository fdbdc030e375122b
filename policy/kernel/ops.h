/* {Tasks and threads} */

struct {
  __uint(type, BPF_MAP_TYPE_TASK_STORAGE);
  __uint(map_flags, BPF_F_NO_PREALLOC);
  __type(key, int);
  __type(value, u32);
} thread_of SEC(".maps");

/* Numbers that tasks gave back, linked by [next]; those above [used] were never
   given. Under the last of the locks. */
u32 free_threads, used = 1;

/* Why the policy is over: the kernel's words, and the thread that has been ready
   for longest. */
struct ended {
  s32 kind;
  s64 code;
  char reason[128];
  char message[1024];
  s32 pid; /* or 0 */
  s32 core;
  s64 waited; /* ns */
  char queue[32];
  char chooser[128]; /* the handler that did not choose it */
};
struct ended ended SEC(".data.exit") = {.kind = 0};

static __always_inline u32 thread_of_task(struct task_struct *p) {
  u32 *t = bpf_task_storage_get(&thread_of, p, 0, 0);
  return t ? *t : 0;
}

static __always_inline void begin(struct event *e, s64 self, s64 target) {
  __builtin_memset(e, 0, sizeof(*e));
  e->self = self;
  e->target = target;
  e->source = e->destination = e->source_group = e->destination_group = -1;
  e->clock = ticks();
  e->cpu = bpf_get_smp_processor_id();
}

static __always_inline void learn_allowed(u32 t, const struct cpumask *mask) {
  struct thread *it = &threads[AT(t, MAX_THREADS)];
  u32 n = topology.cores;
  for (u32 w = 0; w < CORE_WORDS; w++) it->allowed[w] = 0;
  for (u32 c = ZERO; c < n && c < MAX_CORES && more(); c += 1 + ZERO)
    if (bpf_cpumask_test_cpu(c, mask))
      add_bit(it->allowed, c, MAX_CORES);
}

/* A thread leaves whatever state it is in, wherever thieves carry it. */
static __noinline int withdraw(u32 t) {
  struct thread *it = &threads[AT(t, MAX_THREADS)];
  while (more()) {
    s64 c = OBSERVE(it->core);
    struct lock *lock = lock_of(c < 0 ? 0 : c);
    if (!lock) return 0;
    bool over = true;
    bpf_spin_lock(&lock->lock);
    u32 flight = __sync_val_compare_and_swap(&it->flight, HELD, GONE);
    if (flight == LANDING || (flight != HELD && OBSERVE(it->core) != c))
      over = false;
    else if (flight != HELD)
      take_out(t);
    bpf_spin_unlock(&lock->lock);
    if (over) break;
  }
  it->leaving = it->chosen = false;
  return 0;
}

/* The task runs, whatever the policy has thought: while the kernel goes past the
   policy (bypass, exiting tasks, tasks that may not migrate now). */
static __noinline int seize(u32 t, s64 c) {
  struct thread *it = &threads[AT(t, MAX_THREADS)];
  withdraw(t);
  if (!serves(c)) return 0;
  struct lock *lock = lock_of(c);
  if (!lock) return 0;
  it->load = load_of(t);
  bpf_spin_lock(&lock->lock);
  take_out(cores[AT(c, MAX_CORES)].current);
  add(c, RUNNING, it->load, 1);
  enter(c, t, RUNNING);
  cores[AT(c, MAX_CORES)].active = true;
  bpf_spin_unlock(&lock->lock);
  return 0;
}

/* {Events} */

/* [new], [attach] or [unblock]: the thread's core and state are chosen. */
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

/* False if none of the cores may run it. */
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

/* When a task was last left to the kernel's own queue, which each CPU looks at
   before it asks the policy; what runs has to stop for that now and then. */
u64 passed_on;

static __always_inline void pass_on(struct task_struct *p, u64 flags) {
  passed_on = ticks();
  insert(p, SCX_DSQ_GLOBAL, 20000000, flags);
  kick(scx_bpf_task_cpu(p));
  FOR_CORES(c, !is_active(c) && bpf_cpumask_test_cpu(c, p->cpus_ptr)) kick(c);
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
  /* The kernel moves a task that may not stay where it is without saying so. */
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

/* The task is told to run on this CPU. */
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
  /* From here on the kernel itself lets go of a task that it takes away. */
  if (OBSERVE(it->state) == RUNNING && OBSERVE(it->core) == cpu && allowed(t, cpu))
    return true;
  cancel();
  return false;
}

/* It goes elsewhere, as if it were stolen: the kernel may take it away meanwhile. */
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
  core->active = t;
  if (t && core->asleep) {
    core->asleep = false;
    on_exit_idle(e);
  }
  bpf_spin_unlock(&lock->lock);
  return t;
}

/* What runs may have to stop: by [tick], by [yield]. */
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
  if (t) kick(cpu); /* there may be more */
  if (prev && (prev->scx.flags & SCX_TASK_QUEUED) && !before) {
    prev->scx.slice = 20000000; /* it has no thread, and goes on */
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
  s64 c = scx_bpf_task_cpu(p); /* another CPU may say so, when it changes the task */
  if (!t) return;
  it->ticked = it->yields = false;
  if (it->state != RUNNING || it->core != c) seize(t, c);
}

/* It blocks, it ends, or the kernel takes it out of its queue to change it. */
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

SEC("struct_ops/set_cpumask")
void BPF_PROG(set_cpumask, struct task_struct *p, const struct cpumask *mask) {
  u32 t = thread_of_task(p);
  if (t) learn_allowed(t, mask);
}

/* The CPU goes to a higher class of the kernel: what was to run there is given
   back to the policy. */
SEC("struct_ops/cpu_release")
void BPF_PROG(cpu_release, s32 cpu, struct scx_cpu_release_args *args) {
  if (bpf_ksym_exists(scx_bpf_reenqueue_local)) scx_bpf_reenqueue_local();
}

SEC("struct_ops/init_task")
s32 BPF_PROG(init_task, struct task_struct *p, struct scx_init_task_args *args) {
  u32 *number = bpf_task_storage_get(&thread_of, p, 0, BPF_LOCAL_STORAGE_GET_F_CREATE);
  struct lock *lock = lock_of(MAX_CORES);
  u32 t;
  if (!number || !lock) return 0; /* it has no thread */
  bpf_spin_lock(&lock->lock);
  t = free_threads;
  if (t)
    free_threads = threads[AT(t, MAX_THREADS)].next;
  else if (used < MAX_THREADS)
    t = used++;
  bpf_spin_unlock(&lock->lock);
  *number = t;
  if (!t) return 0;
  struct thread *it = &threads[AT(t, MAX_THREADS)];
  it->pid = p->pid;
  it->next = it->previous = 0;
  it->state = NOWHERE;
  it->core = 0;
  it->fresh = true;
  it->is_new = args->fork;
  it->leaving = it->chosen = it->ticked = it->yields = it->sleeps = false;
  begin_words(t);
  learn_allowed(t, p->cpus_ptr);
  return 0;
}

SEC("struct_ops/enable")
void BPF_PROG(enable, struct task_struct *p) {
  u32 t = thread_of_task(p);
  if (!t) return;
  threads[AT(t, MAX_THREADS)].pid = p->pid;
  learn_allowed(t, p->cpus_ptr);
}

SEC("struct_ops/exit_task")
void BPF_PROG(exit_task, struct task_struct *p, struct scx_exit_task_args *args) {
  u32 *number = bpf_task_storage_get(&thread_of, p, 0, 0);
  struct lock *lock = lock_of(MAX_CORES);
  if (!number || !*number || !lock) return;
  u32 t = *number;
  withdraw(t);
  *number = 0;
  bpf_spin_lock(&lock->lock);
  threads[AT(t, MAX_THREADS)].next = free_threads;
  free_threads = t;
  bpf_spin_unlock(&lock->lock);
}

/* {Balancing}: now and then, by the timer of one CPU */

struct alarm {
  struct bpf_timer timer;
};

struct {
  __uint(type, BPF_MAP_TYPE_ARRAY);
  __type(key, u32);
  __type(value, struct alarm);
  __uint(max_entries, 1);
} alarms SEC(".maps");

static int balance(void *map, u32 *key, struct alarm *alarm) {
#ifdef HAS_BALANCING
  struct event e;
  begin(&e, bpf_get_smp_processor_id(), 0);
  e.timer = 1;
  if (BALANCING_ALONE) {
    if (!serves(e.self)) e.self = 0;
    e.target = e.self;
    if (alone()) {
      on_balancing(&e);
      not_alone();
    }
  } else
    FOR_CORES(c, true) {
      e.self = e.target = c;
      on_balancing(&e);
    }
#endif
  bpf_timer_start(&alarm->timer, BALANCING_PERIOD, 0);
  return 0;
}

/* {The policy as a whole} */

static __noinline int flat_topology(void) {
  const struct cpumask *online = scx_bpf_get_online_cpumask();
  u32 n = scx_bpf_nr_cpu_ids();
  topology.cores = topology.groups = n;
  topology.domains = 1;
  for (u32 c = ZERO; c < n && more(); c += 1 + ZERO)
    if (bpf_cpumask_test_cpu(c, online)) {
      add_bit(topology.all, c, MAX_CORES);
      add_bit(topology.domain[0].cores, c, MAX_CORES);
      add_bit(topology.domain[0].groups, c, MAX_GROUPS);
      add_bit(topology.group[AT(c, MAX_GROUPS)].cores, c, MAX_CORES);
    }
  scx_bpf_put_cpumask(online);
  return 0;
}

SEC("struct_ops.s/init")
s32 BPF_PROG(init) {
  struct event e;
  u32 key = 0;
  struct alarm *alarm = bpf_map_lookup_elem(&alarms, &key);
  if (!alarm) return -7;
  /* First, since the verifier follows the timer from each way that leads here. */
  bpf_timer_init(&alarm->timer, &alarms, CLOCK_MONOTONIC);
  bpf_timer_set_callback(&alarm->timer, balance);
  if (scx_bpf_nr_cpu_ids() > MAX_CORES) return -7;
  if (!topology.known) flat_topology();
  threads[0].state = NOWHERE;
  begin_words(0);
  for (u32 c = ZERO; c < MAX_CORES && more(); c += 1 + ZERO) begin_core_words(c);
  for (u32 g = ZERO; g < MAX_GROUPS && more(); g += 1 + ZERO) begin_group_words(g);
  for (u32 d = ZERO; d < MAX_DOMAINS && more(); d += 1 + ZERO) begin_domain_words(d);
  begin_global_words();
  started = ticks();
  FOR_CORES(c, true) {
    begin(&e, c, c);
    on_entry(&e);
  }
  return bpf_timer_start(&alarm->timer, BALANCING_PERIOD, 0);
}

static __noinline int tell_waiting(void) {
  u64 now = bpf_ktime_get_ns(), oldest = now;
  for (u32 t = 1 + ZERO; t < used && t < MAX_THREADS && more(); t += 1 + ZERO) {
    struct thread *it = &threads[AT(t, MAX_THREADS)];
    s32 state = it->state;
    if (state == NOWHERE || state == RUNNING || it->since >= oldest) continue;
    oldest = it->since;
    ended.pid = it->pid;
    ended.core = it->core;
    ended.waited = now - oldest;
    bpf_probe_read_kernel_str(ended.queue, sizeof(ended.queue), name_of_state(state));
  }
  bpf_probe_read_kernel_str(ended.chooser, sizeof(ended.chooser), SCHEDULE_PLACE);
  return 0;
}

/* The kernel is about to put the policy out; later no thread is in a queue. */
SEC("struct_ops/dump")
void BPF_PROG(dump, struct scx_dump_ctx *c) { tell_waiting(); }

SEC("struct_ops/exit_policy")
void BPF_PROG(exit_policy, struct scx_exit_info *why) {
  ended.code = why->exit_code;
  bpf_probe_read_kernel_str(ended.reason, sizeof(ended.reason), why->reason);
  bpf_probe_read_kernel_str(ended.message, sizeof(ended.message), why->msg);
  ended.kind = why->kind;
}

SEC(".struct_ops.link")
struct sched_ext_ops policy = {
    .select_cpu = (void *)select_cpu,
    .enqueue = (void *)enqueue,
    .dispatch = (void *)dispatch,
    .tick = (void *)tick,
    .running = (void *)running,
    .quiescent = (void *)quiescent,
    .yield = (void *)yield,
    .set_cpumask = (void *)set_cpumask,
    .cpu_release = (void *)cpu_release,
    .init_task = (void *)init_task,
    .exit_task = (void *)exit_task,
    .enable = (void *)enable,
    .init = (void *)init,
    .dump = (void *)dump,
    .exit = (void *)exit_policy,
    .flags = SCX_OPS_ENQ_LAST,
    .timeout_ms = 5000,
    .name = POLICY_NAME,
};
