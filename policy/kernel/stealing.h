/* {Stealing} */

/* The candidate leaves its core at once, and the rest of steal_thread sees the new
   words. */
static __always_inline void take(struct event *e, s64 t, u32 state) {
  struct thread *it = &threads[AT(t, MAX_THREADS)];
  add(e->source, it->state, it->load, -1);
  unlink_thread(e->source, t, it->state);
  it->state = NOWHERE;
  it->chosen_state = state;
  it->flight = HELD;
  e->taken_load += it->load;
  e->taken++;
  taken_count(e)[state]++;
  e->chosen = state;
}

/* Offers the ready threads of the source. Returns the first of the taken threads, which
   are linked by [stolen]. */
static __noinline u32 take_from(struct event *e) {
  u32 first = 0, last = 0;
  for (u32 i = 0; i < READY_STATES && more(); i++) {
    u32 state = ready_state(i);
    for (s64 t = first_thread(e->source, state); t > 0 && more();) {
      struct thread *it = &threads[AT(t, MAX_THREADS)];
      s64 next = it->next;
      if (!it->leaving && it->flight == STILL && allowed(t, e->destination)) {
        e->chosen = NOWHERE;
        e->target = t;
        steal_thread(e, t);
        if (e->chosen != NOWHERE) {
          it->stolen = 0;
          if (last)
            threads[AT(last, MAX_THREADS)].stolen = t;
          else
            first = t;
          last = t;
        }
        if (enough(e)) return first;
      }
      t = next;
    }
  }
  return first;
}

static __always_inline void forget_taken(struct event *e) {
  e->taken_load = e->taken = 0;
  s64 *counts = taken_count(e);
  /* clang makes a loop of plain stores into a call of memset, which BPF has not. */
  for (u32 i = 0; i < STATES; i++) OBSERVE(counts[i]) = 0;
}

/* The verifier checks a function that is not static once for all callers. */
__noinline int steal_from(struct event *e __arg_nonnull, s64 src, s64 dst) {
  struct lock *from = lock_of(src), *to = lock_of(dst);
  if (!from || !to) return 0;
  s64 target = e->target;
  e->source = src;
  forget_taken(e);
  bpf_spin_lock(&from->lock);
  u32 first = take_from(e);
  forget_taken(e);
  bpf_spin_unlock(&from->lock);
  e->target = target;
  if (!first) return 0;
  bpf_spin_lock(&to->lock);
  bool arrived = put(dst, first);
  bpf_spin_unlock(&to->lock);
  /* A core that steals in dispatch looks at its queues next. */
  if (arrived && (e->timer || dst != e->cpu)) kick(dst);
  return 0;
}

/* Steals among the cores of the source's group, or among all cores. */
static __always_inline int steal_among(struct event *e) {
  s64 dst = e->destination, h = e->source_group;
  for (u32 w = 0; w < CORE_WORDS; w++) e->filtered[w] = 0;
  FOR_CORES(c, c != dst && (h < 0 || GROUP_HAS(h, c)) && can_steal_core(e, c, dst))
    add_bit(e->filtered, c, MAX_CORES);
  for (u32 round = ZERO; round < topology.cores && more(); round += 1 + ZERO) {
    bool some = EXISTS(FOR_CORES, c, bit(e->filtered, c, MAX_CORES));
    if (!some) break;
    s64 src = select_core(e);
    if (!bit(e->filtered, src, MAX_CORES)) break;
    steal_from(e, src, dst);
    if (!REPEATED || until(e)) break;
    remove_bit(e->filtered, src, MAX_CORES);
  }
  return 0;
}

__noinline int steal_for(struct event *e __arg_nonnull, s64 group, s64 dst) {
  s64 self = e->self;
  if (!serves(dst)) return 0;
  e->self = e->destination = dst;
  e->source_group = -1;
  e->destination_group = group;
#ifdef BY_GROUP
  if (group >= 0) {
    s64 domain = FIRST(FOR_DOMAINS, d, DOMAIN_HAS_GROUP(d, group));
    for (u32 w = 0; w < GROUP_WORDS; w++) e->filtered_groups[w] = 0;
    FOR_GROUPS(h, DOMAIN_HAS_GROUP(domain, h) && can_steal_group(e, h, group))
      add_bit(e->filtered_groups, h, MAX_GROUPS);
    for (u32 round = ZERO; round < topology.groups && more(); round += 1 + ZERO) {
      bool some = EXISTS(FOR_GROUPS, h, bit(e->filtered_groups, h, MAX_GROUPS));
      if (!some) break;
      s64 h = select_group(e);
      if (!bit(e->filtered_groups, h, MAX_GROUPS)) break;
      e->source_group = h;
      steal_among(e);
      if (!GROUP_REPEATED || group_until(e)) break;
      remove_bit(e->filtered_groups, h, MAX_GROUPS);
    }
  }
#else
  steal_among(e);
#endif
  e->self = self;
  e->destination = -1;
  return 0;
}
