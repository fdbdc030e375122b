/* {The machine}

   The same for all policies: doc/policy/semantics.md says what it does. A thread
   is a number from 1 to MAX_THREADS - 1, which its task keeps in its storage; 0
   is none. A core is a CPU, by its number; -1 is none. Queues, words and
   attributes are plain arrays. The lock of a core is the one bpf_spin_lock of
   its number, and no program holds two. */

#define CORE_WORDS (MAX_CORES / 64)
#define MAX_GROUPS (2 * MAX_CORES)
#define GROUP_WORDS (MAX_GROUPS / 64)
#define MAX_DOMAINS MAX_CORES
#define FOREVER (1ULL << 60)

#define AT(i, size)                                                            \
  ({                                                                           \
    u64 at_ = (u64)(i);                                                        \
    asm volatile("" : "+r"(at_));                                              \
    at_ & ((size) - 1);                                                        \
  })
#define STATE_AT(state)                                                        \
  ({                                                                           \
    u32 at_ = (state);                                                         \
    asm volatile("" : "+r"(at_));                                              \
    at_ < STATES ? at_ : 0;                                                    \
  })
#define OBSERVE(word) (*(volatile typeof(word) *)&(word))

/* Loops begin with what the verifier does not know: it would follow every number
   of rounds by itself else. */
u64 zero;
#define ZERO (*(volatile u64 *)&zero)
#define HIDDEN(value) ((value) + ZERO)

/* A thread that a thief holds is in no queue. If its task is taken away meanwhile
   it becomes GONE, and the thief lets it go. While it is LANDING, which is under
   the lock of its new core, it is taken away from nobody: one waits until it is
   there. */
enum { STILL, HELD, GONE, LANDING };

struct thread {
  s32 pid;
  s32 state;             /* or NOWHERE */
  s32 core;              /* of the state */
  u32 next, previous;    /* in its queue, or in the list of the stolen ones */
  u32 later[SNAPSHOTS + 1]; /* in the lists that loops go through */
  bool fresh;            /* no event has placed it yet */
  bool is_new;           /* it was made by fork under this policy */
  bool leaving;          /* dispatch has put it in a queue, enqueue comes next */
  u32 flight;            /* STILL, HELD, GONE or LANDING */
  u32 stolen;            /* the next one that the thief holds */
  bool ticked, yields;   /* dispatch owes it these events */
  bool chosen;           /* select_cpu has run its handler */
  s32 chosen_state;
  s64 chosen_core;
  s64 load;              /* with which it is counted */
  s64 keys[KEYS + 1];    /* of the queue that it enters, when it was moved */
  bool sleeps;           /* it has blocked, and no event has placed it since */
  u64 slept;             /* when it blocked, in ticks */
  u64 since;             /* when it became ready, in ns */
  u64 allowed[CORE_WORDS];
  s64 word[THREAD_WORDS + 1];
};

struct queue {
  u32 first, last;
  bool unsorted; /* keys have changed since it was last empty, or since their
                    thread was moved, and before it came */
};

struct core {
  s64 cload, runnable;
  s64 count[STATES];
  u32 current; /* the thread in the RUNNING state */
  bool active;
  bool asleep;
  struct queue queue[STATES];
  s64 word[OWN_CORE_WORDS + 1];
};

/* What the loader fills in. Sets of cores and groups are bits. */
struct topology {
  u32 cores, groups, domains;
  u32 known; /* else the program makes a flat one */
  u64 all[CORE_WORDS];
  struct {
    u64 cores[CORE_WORDS];
    /* What its domain shares: 1 a core, 2 a level 2 cache, 4 a level 3, 8 a node
       of memory, 16 the machine; what is small brings with it what is larger. */
    s64 sharing;
  } group[MAX_GROUPS];
  struct {
    u64 cores[CORE_WORDS];
    u64 groups[GROUP_WORDS];
  } domain[MAX_DOMAINS]; /* the smallest first */
};

struct thread threads[MAX_THREADS];
struct core cores[MAX_CORES];
s64 group_words[MAX_GROUPS][OWN_GROUP_WORDS + 1];
s64 domain_words[MAX_DOMAINS][OWN_DOMAIN_WORDS + 1];
s64 global_words[GLOBAL_WORDS + 1];
struct topology topology SEC(".data.topology") = {.known = 0};

struct lock {
  struct bpf_spin_lock lock;
};

struct {
  __uint(type, BPF_MAP_TYPE_ARRAY);
  __type(key, u32);
  __type(value, struct lock);
  __uint(max_entries, MAX_CORES + 1); /* the last one is of free threads */
} locks SEC(".maps");

struct choices {
  s64 key[MAX_CORES];
  s64 key2[MAX_CORES];
  u64 left[CORE_WORDS];
};

/* For loops over cores in an order: ops and timers of each CPU have their own. */
struct choices choices[ORDERS + 1][2][MAX_CORES];

/* {An event} */

struct event {
  s64 self;
  s64 target;
  s64 waker;
  s64 clock;
  u32 cpu;   /* where the program runs */
  u32 timer; /* 1: it is a timer's */
  /* While threads are stolen. */
  s64 source, destination, source_group, destination_group;
  s64 taken_load, taken;
  s64 chosen; /* the state that the candidate goes to, or NOWHERE */
  s64 taken_count[STATES];
  u64 filtered[CORE_WORDS];
  u64 filtered_groups[GROUP_WORDS];
};

static __always_inline bool bit(const u64 *words, s64 i, u64 size) {
  return (u64)i < size && (words[AT(i, size) >> 6] >> (i & 63) & 1);
}

static __always_inline void add_bit(u64 *words, s64 i, u64 size) {
  words[AT(i, size) >> 6] |= 1ULL << (i & 63);
}

static __always_inline void remove_bit(u64 *words, s64 i, u64 size) {
  words[AT(i, size) >> 6] &= ~(1ULL << (i & 63));
}

static __always_inline bool serves(s64 c) {
  return bit(topology.all, c, MAX_CORES);
}

static __always_inline bool allowed(s64 t, s64 c) {
  return bit(threads[AT(t, MAX_THREADS)].allowed, c, MAX_CORES);
}

/* {Words} of other cores are looked at one by one, without a lock. */

static __always_inline s64 cload(s64 c) {
  return serves(c) ? OBSERVE(cores[AT(c, MAX_CORES)].cload) : 0;
}

static __always_inline s64 runnable(s64 c) {
  return serves(c) ? OBSERVE(cores[AT(c, MAX_CORES)].runnable) : 0;
}

static __always_inline s64 count(s64 c, u32 state) {
  return serves(c) ? OBSERVE(cores[AT(c, MAX_CORES)].count[state]) : 0;
}

static __always_inline bool is_active(s64 c) {
  return OBSERVE(cores[AT(c, MAX_CORES)].active);
}

/* The destination is seen with what was taken for it. */
static __always_inline s64 seen_cload(struct event *e, s64 c) {
  return cload(c) + (c == e->destination ? e->taken_load : 0);
}

static __always_inline s64 seen_runnable(struct event *e, s64 c) {
  return runnable(c) + (c == e->destination ? e->taken : 0);
}

static __always_inline s64 seen_count(struct event *e, s64 c, u32 state) {
  s64 n = count(c, state) + (c == e->destination ? e->taken_count[state] : 0);
  return displaced_to(state) != NOWHERE && n > 1 ? 1 : n;
}

/* {Attributes} Those of none are what they begin with; to set them does nothing. */

#define thread_word(t, k) (threads[AT(t, MAX_THREADS)].word[k])
#define core_word(c, k) ((c) < 0 ? initial_core_word[k] : cores[AT(c, MAX_CORES)].word[k])
#define group_word(g, k) ((g) < 0 ? initial_group_word[k] : group_words[AT(g, MAX_GROUPS)][k])
#define domain_word(d, k) ((d) < 0 ? initial_domain_word[k] : domain_words[AT(d, MAX_DOMAINS)][k])
#define global_word(k) (global_words[k])
#define set_thread_word(t, k, v)                                               \
  do {                                                                         \
    s64 t_ = (t), v_ = (v);                                                    \
    if (t_ > 0) threads[AT(t_, MAX_THREADS)].word[k] = v_;                     \
  } while (0)
#define set_key_word(t, k, v)                                                  \
  do {                                                                         \
    s64 t_ = (t), v_ = (v);                                                    \
    if (t_ > 0) {                                                              \
      struct thread *it_ = &threads[AT(t_, MAX_THREADS)];                      \
      it_->word[k] = v_;                                                       \
      s32 state_ = it_->state;                                                 \
      if (state_ != NOWHERE)                                                   \
        cores[AT(it_->core, MAX_CORES)].queue[STATE_AT(state_)].unsorted = true; \
    }                                                                          \
  } while (0)
#define set_core_word(c, k, v)                                                 \
  do {                                                                         \
    s64 c_ = (c), v_ = (v);                                                    \
    if (c_ >= 0) cores[AT(c_, MAX_CORES)].word[k] = v_;                        \
  } while (0)
#define set_group_word(g, k, v)                                                \
  do {                                                                         \
    s64 g_ = (g), v_ = (v);                                                    \
    if (g_ >= 0) group_words[AT(g_, MAX_GROUPS)][k] = v_;                      \
  } while (0)
#define set_domain_word(d, k, v)                                               \
  do {                                                                         \
    s64 d_ = (d), v_ = (v);                                                    \
    if (d_ >= 0) domain_words[AT(d_, MAX_DOMAINS)][k] = v_;                    \
  } while (0)
#define set_global_word(k, v)                                                  \
  do {                                                                         \
    global_words[k] = (v);                                                     \
  } while (0)

static __always_inline s64 quotient(s64 a, s64 b) {
  return b == 0 ? 0 : b == -1 ? -a : a / b;
}

static __always_inline s64 remainder(s64 a, s64 b) {
  return b == 0 ? a : b == -1 ? 0 : a % b;
}

/* {Choosing among cores} [member] is a condition on [c]. */

#define FOR_CORES(c, member)                                                   \
  for (s64 c = ZERO; c < topology.cores && more(); c += 1 + ZERO)                         \
    if (serves(c) && (member))
#define FOR_GROUPS(g, member)                                                  \
  for (s64 g = ZERO; g < topology.groups && more(); g += 1 + ZERO)                        \
    if (member)
#define FOR_DOMAINS(d, member)                                                 \
  for (s64 d = ZERO; d < topology.domains && more(); d += 1 + ZERO)                       \
    if (member)

#define GROUP_HAS(g, c) ((g) >= 0 && bit(topology.group[AT(g, MAX_GROUPS)].cores, c, MAX_CORES))
#define DOMAIN_HAS(d, c) ((d) >= 0 && bit(topology.domain[AT(d, MAX_DOMAINS)].cores, c, MAX_CORES))
#define DOMAIN_HAS_GROUP(d, g)                                                 \
  ((d) >= 0 && bit(topology.domain[AT(d, MAX_DOMAINS)].groups, g, MAX_GROUPS))

#define FIRST(FOR, i, member)                                                  \
  ({                                                                           \
    s64 first_ = -1;                                                           \
    FOR(i, member) {                                                           \
      first_ = i;                                                              \
      break;                                                                   \
    }                                                                          \
    first_;                                                                    \
  })
#define LEAST(FOR, i, member, k)                                               \
  ({                                                                           \
    s64 least_ = -1, k_ = 0;                                                   \
    FOR(i, member) {                                                           \
      s64 this_ = (k);                                                         \
      if (least_ < 0 || this_ < k_) least_ = i, k_ = this_;                    \
    }                                                                          \
    least_;                                                                    \
  })
#define LEAST3(FOR, i, member, k, l, m)                                        \
  ({                                                                           \
    s64 least_ = -1, k_ = 0, l_ = 0, m_ = 0;                                   \
    FOR(i, member) {                                                           \
      s64 this_ = (k), then_ = (l), last_ = (m);                               \
      if (least_ < 0 || this_ < k_ ||                                          \
          (this_ == k_ && (then_ < l_ || (then_ == l_ && last_ < m_))))        \
        least_ = i, k_ = this_, l_ = then_, m_ = last_;                        \
    }                                                                          \
    least_;                                                                    \
  })
#define LEAST2(FOR, i, member, k, l) LEAST3(FOR, i, member, k, l, 0)
#define EXISTS(FOR, i, member) (FIRST(FOR, i, member) >= 0)
#define ANY(FOR, i, member)                                                    \
  ({                                                                           \
    s64 members_ = ZERO, any_ = -1;                                               \
    FOR(i, member) members_++;                                                 \
    s64 drawn_ = members_ > 1 ? draw(e, members_) : 0;                         \
    FOR(i, member) {                                                           \
      any_ = i;                                                                \
      if (drawn_-- <= 0) break;                                                \
    }                                                                          \
    any_;                                                                      \
  })

/* In the order of two keys, each looked at once. */
#define ORDER(site, c, member, k, l)                                           \
  do {                                                                         \
    struct choices *o_ = &choices[site][e->timer & 1][AT(e->cpu, MAX_CORES)];  \
    for (u32 w_ = 0; w_ < CORE_WORDS; w_++) o_->left[w_] = 0;                  \
    FOR_CORES(c, member) {                                                     \
      o_->key[AT(c, MAX_CORES)] = (k);                                         \
      o_->key2[AT(c, MAX_CORES)] = (l);                                        \
      add_bit(o_->left, c, MAX_CORES);                                         \
    }                                                                          \
  } while (0)
#define FOR_ORDERED(site, c)                                                   \
  for (s64 c = next_choice(e, site); c >= 0 && more(); c = next_choice(e, site))

static __noinline s64 next_choice(struct event *e, u32 site) {
  struct choices *o =
      &choices[site <= ORDERS ? site : 0][e->timer & 1][AT(e->cpu, MAX_CORES)];
  s64 found = LEAST2(FOR_CORES, c, bit(o->left, c, MAX_CORES),
                     o->key[AT(c, MAX_CORES)], o->key2[AT(c, MAX_CORES)]);
  if (found >= 0) remove_bit(o->left, found, MAX_CORES);
  return found;
}

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

/* Loops that move threads go through a list of their own of what stood there. */
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

/* After the thread [after], or at the front. */
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

/* Before the first whose keys are greater. Sorted queues are searched from the
   end, since most threads that come have been served lately. */
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

/* A thread that stands in a state of one thread gives way before [t] comes. */
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

/* Out of whatever state it is in: it counts no more. */
static __noinline int take_out(u32 t) {
  struct thread *it = &threads[AT(t, MAX_THREADS)];
  s64 state = it->state;
  if (!t || state < 0 || state >= STATES) return 0;
  leave(it->core, t, state);
  add(it->core, state, it->load, -1);
  it->state = NOWHERE;
  return 0;
}

/* Threads that are held come to the core, in whose states they were to be. */
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

/* {Placing}: the lock is taken when the handler is over. */

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

/* Whether the core has to be told. */
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

/* {What the system says} */

/* Of the machine, in ticks of the kernel since the policy was loaded. */
u64 started;

static __always_inline s64 now(struct event *e) { return e->clock; }

/* A test says these itself. */
#ifndef SYSTEM_SAYS

static __always_inline u64 ticks(void) { return bpf_jiffies64() - started; }

/* A generator for each CPU (Marsaglia, "Xorshift RNGs", 2003): no helper may be
   called under a lock. */
u64 seeds[MAX_CORES];

static __always_inline u64 chance(struct event *e) {
  u64 *seed = &seeds[AT(e->cpu, MAX_CORES)];
  u64 x = *seed ? *seed : 0x9e3779b97f4a7c15ULL + e->clock + e->cpu;
  x ^= x << 13;
  x ^= x >> 7;
  x ^= x << 17;
  return *seed = x;
}

static __always_inline s64 random(struct event *e) { return chance(e) >> 34; }

/* One of 0 .. n - 1. */
static __always_inline s64 draw(struct event *e, s64 n) {
  return (u64)(chance(e) >> 32) * (u64)n >> 32;
}

#endif

/* The thread that runs where the program does, which no interrupt is asked. */
static __always_inline s64 waker_of(struct event *e) {
  s64 t = cores[AT(e->cpu, MAX_CORES)].current;
  return t == e->target ? 0 : t;
}

static __always_inline void kick(s64 c) { scx_bpf_kick_cpu(c, SCX_KICK_IDLE); }

/* {Synchronized events} of the whole machine come one at a time. One that finds
   another under way is left out: there was one just now. */
u32 under_way;

static __always_inline bool alone(void) {
  return !__sync_val_compare_and_swap(&under_way, 0, 1);
}

static __always_inline void not_alone(void) {
  __sync_val_compare_and_swap(&under_way, 1, 0);
}
