/* {Queues}, under the lock of their core */

#define FOR_THREADS(t, c, state)                                               \
  for (s64 t = first_thread(c, state); t > 0 && more();                        \
       t = threads[AT(t, MAX_THREADS)].next)

static __always_inline s64 first_thread(s64 c, u32 state) {
  if (!serves(c)) return 0;
  if (state == RUNNING) return cores[AT(c, MAX_CORES)].current;
  return cores[AT(c, MAX_CORES)].queue[STATE_AT(state)].first;
}

static __always_inline s64 thread_in(s64 t, s64 c, s64 state) {
  struct thread *of = &threads[AT(t, MAX_THREADS)];
  return t > 0 && of->core == c && of->state == state;
}

/* A loop that moves threads goes through a list of the threads at its beginning. */
static __always_inline s64 snapshot(s64 c, u32 state, u32 site) {
  s64 first = first_thread(c, state);
  for (s64 t = first; t > 0 && more();) {
    struct thread *it = &threads[AT(t, MAX_THREADS)];
    it->later[site] = state == RUNNING ? 0 : it->next;
    t = it->later[site];
  }
  return first;
}

#define FOR_SNAPSHOT(site, t, c, state)                                        \
  for (s64 t = snapshot(c, state, site); t > 0 && more();                      \
       t = threads[AT(t, MAX_THREADS)].later[site])

#define LEAST_THREAD(t, c, state, k)                                           \
  ({                                                                           \
    s64 least_ = 0, k_ = 0;                                                    \
    FOR_THREADS(t, c, state) {                                                 \
      s64 this_ = (k);                                                         \
      if (!least_ || this_ < k_) least_ = t, k_ = this_;                       \
    }                                                                          \
    least_;                                                                    \
  })
#define LEAST_THREAD2(t, c, state, k, l) LEAST_THREAD3(t, c, state, k, l, 0)
#define LEAST_THREAD3(t, c, state, k, l, m)                                    \
  ({                                                                           \
    s64 least_ = 0, k_ = 0, l_ = 0, m_ = 0;                                    \
    FOR_THREADS(t, c, state) {                                                 \
      s64 this_ = (k), then_ = (l), last_ = (m);                               \
      if (!least_ || this_ < k_ ||                                             \
          (this_ == k_ && (then_ < l_ || (then_ == l_ && last_ < m_))))        \
        least_ = t, k_ = this_, l_ = then_, m_ = last_;                        \
    }                                                                          \
    least_;                                                                    \
  })
#define ANY_THREAD(t, c, state)                                                \
  ({                                                                           \
    s64 members_ = ZERO, any_ = 0;                                                \
    FOR_THREADS(t, c, state) members_++;                                       \
    s64 drawn_ = members_ > 1 ? draw(e, members_) : 0;                         \
    FOR_THREADS(t, c, state) {                                                 \
      any_ = t;                                                                \
      if (drawn_-- <= 0) break;                                                \
    }                                                                          \
    any_;                                                                      \
  })

static __noinline int unlink_thread(u32 c, u32 t, u32 state) {
  struct queue *q = &cores[AT(c, MAX_CORES)].queue[STATE_AT(state)];
  struct thread *it = &threads[AT(t, MAX_THREADS)];
  if (it->previous)
    threads[AT(it->previous, MAX_THREADS)].next = it->next;
  else
    q->first = it->next;
  if (it->next)
    threads[AT(it->next, MAX_THREADS)].previous = it->previous;
  else
    q->last = it->previous;
  it->next = it->previous = 0;
  if (!q->first) q->unsorted = false;
  return 0;
}

/* Inserts the thread behind the thread [after], or at the front. */
static __noinline int link_thread(u32 c, u32 t, u32 state, u32 after) {
  struct queue *q = &cores[AT(c, MAX_CORES)].queue[STATE_AT(state)];
  struct thread *it = &threads[AT(t, MAX_THREADS)];
  u32 next = after ? threads[AT(after, MAX_THREADS)].next : q->first;
  it->previous = after;
  it->next = next;
  if (after)
    threads[AT(after, MAX_THREADS)].next = t;
  else
    q->first = t;
  if (next)
    threads[AT(next, MAX_THREADS)].previous = t;
  else
    q->last = t;
  return 0;
}

/* The thread enters before the first thread with greater keys. A sorted queue is
   searched from the end, since most arriving threads have run lately. */
static __noinline u32 place_in_order(u32 c, u32 t, u32 state) {
  struct queue *q = &cores[AT(c, MAX_CORES)].queue[STATE_AT(state)];
  u32 after = q->last;
  if (!q->unsorted) {
    for (; after && more(); after = threads[AT(after, MAX_THREADS)].previous)
      if (!stands_before(t, after, state)) break;
    return after;
  }
  after = 0;
  for (u32 o = q->first; o && more(); o = threads[AT(o, MAX_THREADS)].next) {
    if (stands_before(t, o, state)) break;
    after = o;
  }
  return after;
}

/* {Fragments of moves}, under the lock of the core */

static __always_inline void enter(s64 c, s64 t, u32 state) {
  struct core *core = &cores[AT(c, MAX_CORES)];
  threads[AT(t, MAX_THREADS)].state = state;
  threads[AT(t, MAX_THREADS)].core = c;
  if (state == RUNNING)
    core->current = t;
  else
    link_thread(c, t, state,
                has_keys(state) ? place_in_order(c, t, state)
                                : core->queue[STATE_AT(state)].last);
  if (has_keys(state) && !keys_hold(t, state))
    core->queue[STATE_AT(state)].unsorted = true;
}

static __always_inline void leave(s64 c, s64 t, u32 state) {
  if (state == RUNNING)
    cores[AT(c, MAX_CORES)].current = 0;
  else
    unlink_thread(c, t, state);
}

static __always_inline void add(s64 c, s64 state, s64 load, s64 n) {
  struct core *core = &cores[AT(c, MAX_CORES)];
  OBSERVE(core->cload) += load * n;
  OBSERVE(core->runnable) += n;
  if (state >= 0 && state < STATES) OBSERVE(core->count[STATE_AT(state)]) += n;
}

/* The thread in a state of one thread is displaced before [t] comes. */
static __noinline int make_room(u32 c, u32 t, u32 state) {
  s64 into = displaced_to(state);
  if (into == NOWHERE) return 0;
  u32 other = first_thread(c, STATE_AT(state));
  if (!other || other == t) return 0;
  unlink_thread(c, other, state);
  add(c, state, 0, -1);
  add(c, into, 0, 1);
  keys_of(other, into);
  enter(c, other, into);
  return 0;
}

static __noinline int arrive(u32 c, u32 t, u32 state) {
  make_room(c, t, state);
  add(c, state, threads[AT(t, MAX_THREADS)].load, 1);
  enter(c, t, state);
  return 0;
}

/* Takes the thread out of its state; the words no longer count it. */
static __noinline int take_out(u32 t) {
  struct thread *it = &threads[AT(t, MAX_THREADS)];
  s64 state = it->state;
  if (!t || state < 0 || state >= STATES) return 0;
  leave(it->core, t, state);
  add(it->core, state, it->load, -1);
  it->state = NOWHERE;
  return 0;
}

/* Puts the held threads into their chosen states on the core. */
static __always_inline bool put(s64 c, u32 first) {
  bool some = false;
  for (u32 t = first; t && more();) {
    struct thread *it = &threads[AT(t, MAX_THREADS)];
    u32 next = it->stolen;
    if (__sync_val_compare_and_swap(&it->flight, HELD, LANDING) == HELD) {
      it->core = c;
      keys_of(t, it->chosen_state);
      arrive(c, t, it->chosen_state);
      __sync_val_compare_and_swap(&it->flight, LANDING, STILL);
      some = true;
    } else
      __sync_val_compare_and_swap(&it->flight, GONE, STILL);
    t = next;
  }
  return some;
}

/* A handler's move on one core. */
static __noinline int move(s64 c, s64 t, s64 state) {
  struct thread *it = &threads[AT(t, MAX_THREADS)];
  if (t <= 0 || !serves(c)) return 0;
  s64 before = it->state;
  if (!counted(state)) return take_out(t);
  make_room(c, t, state);
  if (before == NOWHERE) it->load = load_of(t);
  keys_of(t, state);
  if (before >= 0 && before < STATES) {
    leave(c, t, before);
    add(c, state, 0, 1);
    add(c, before, 0, -1);
  } else
    add(c, state, it->load, 1);
  enter(c, t, state);
  return 0;
}

/* {Placing}: the lock is taken after the handler. */

static __always_inline void choose(s64 t, s64 c, s64 state) {
  struct thread *it = &threads[AT(t, MAX_THREADS)];
  if (t <= 0) return;
  it->chosen_core = c;
  it->chosen_state = state;
  it->load = load_of(t);
  keys_of(t, state);
  if (!serves(c) || !allowed(t, c))
    it->chosen_core = LEAST(FOR_CORES, o, allowed(t, o), runnable(o));
}

/* Returns true if the core must be told. */
static __always_inline bool settle(struct lock *lock, s64 c, s64 t) {
  struct thread *it = &threads[AT(t, MAX_THREADS)];
  bool idle;
  bpf_spin_lock(&lock->lock);
  arrive(c, t, it->chosen_state);
  idle = !cores[AT(c, MAX_CORES)].current;
  bpf_spin_unlock(&lock->lock);
  return idle;
}

static __always_inline struct lock *lock_of(s64 c) {
  u32 key = c;
  return bpf_map_lookup_elem(&locks, &key);
}
