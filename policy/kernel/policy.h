/* {Balancing} runs periodically, by the timer of one CPU. */

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
  /* Sets the timer before all branches: the verifier follows the timer's function
     once more for each path that leads to these calls. */
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
  bpf_probe_read_kernel_str(ended.why, sizeof(ended.why), NOT_CHOSEN);
  return 0;
}

/* The kernel calls `dump` just before it removes the policy; later no thread is in a
   queue. */
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
