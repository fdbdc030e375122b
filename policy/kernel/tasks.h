/* {Tasks and threads} */

struct {
  __uint(type, BPF_MAP_TYPE_TASK_STORAGE);
  __uint(map_flags, BPF_F_NO_PREALLOC);
  __type(key, int);
  __type(value, u32);
} thread_of SEC(".maps");

/* The numbers given back by tasks, linked by [next]; numbers above [used] were never
   given. The lock after those of the cores protects both variables. */
u32 free_threads, used = 1;

/* Why the policy ended: the kernel's words, and the thread that has been ready for the
   longest time. */
struct ended {
  s32 kind;
  s64 code;
  char reason[128];
  char message[1024];
  s32 pid; /* or 0 */
  s32 core;
  s64 waited; /* in ns */
  char queue[32];
  char why[128]; /* why the thread was not chosen */
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

/* Takes the thread out of its state, even if a thief holds it. */
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

/* The task runs, whatever the policy has decided. This happens while the kernel
   bypasses the policy: in bypass mode, for exiting tasks, and for tasks that may not
   migrate now. */
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
  bpf_spin_unlock(&lock->lock);
  return 0;
}

SEC("struct_ops/init_task")
s32 BPF_PROG(init_task, struct task_struct *p, struct scx_init_task_args *args) {
  u32 *number = bpf_task_storage_get(&thread_of, p, 0, BPF_LOCAL_STORAGE_GET_F_CREATE);
  struct lock *lock = lock_of(MAX_CORES);
  u32 t;
  if (!number || !lock) return 0; /* the task has no thread */
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

SEC("struct_ops/set_cpumask")
void BPF_PROG(set_cpumask, struct task_struct *p, const struct cpumask *mask) {
  u32 t = thread_of_task(p);
  if (t) learn_allowed(t, mask);
}
