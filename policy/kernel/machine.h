/* {The machine}

   This text is the same for all policies; doc/policy/semantics.md explains the machine.
   A thread is a number from 1 to MAX_THREADS - 1, kept in the storage of its task; 0 is
   none. A core is a CPU, by number; -1 is none. Queues, words and attributes are plain
   arrays. The lock of a core is the bpf_spin_lock with its number. No program holds two
   locks. */

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

/* A loop begins with a value unknown to the verifier. Otherwise the verifier would
   follow each number of rounds separately. */
u64 zero;
#define ZERO (*(volatile u64 *)&zero)
#define HIDDEN(value) ((value) + ZERO)

/* The flight of a thread, see `withdraw` and `put`:

   STILL    in a queue, running, or in no state
   HELD     taken by a thief, in no queue
   GONE     the kernel took the task away from the thief, which drops the thread
   LANDING  being put into a queue, under the lock of the new core; `withdraw` waits */
enum { STILL, HELD, GONE, LANDING };

struct thread {
  s32 pid;
  s32 state;             /* or NOWHERE */
  s32 core;              /* the core of the state */
  u32 next, previous;    /* in the queue of the thread; [next] also links free
                            threads */
  u32 later[SNAPSHOTS + 1]; /* links of the lists that loops go through */
  bool fresh;            /* no event has placed the thread yet */
  bool is_new;           /* the thread was made by fork under this policy */
  bool leaving;          /* dispatch has put the thread into a queue; enqueue comes
                            next */
  u32 flight;            /* STILL, HELD, GONE or LANDING */
  u32 stolen;            /* the next thread held by the thief */
  bool ticked, yields;   /* events that dispatch will run */
  bool chosen;           /* select_cpu has run the handler */
  s32 chosen_state;
  s64 chosen_core;
  s64 load;              /* the load counted for the thread */
  s64 keys[KEYS + 1];    /* the thread's keys for its queue, as they were when the
                            thread was moved */
  bool sleeps;           /* the thread has blocked, and no event has placed it since */
  u64 slept;             /* the time of blocking, in ticks */
  u64 since;             /* the time at which the thread became ready, in ns */
  u64 allowed[CORE_WORDS];
  s64 word[THREAD_WORDS + 1];
};

struct queue {
  u32 first, last;
  bool unsorted; /* some keys have changed since the queue was last empty, or between a
                    thread's move and its arrival */
};

struct core {
  s64 cload, runnable;
  s64 count[STATES];
  u32 current; /* the thread in the RUNNING state */
  bool asleep;
  struct queue queue[STATES];
  s64 word[OWN_CORE_WORDS + 1];
};

/* The loader fills in the topology. Sets of cores and groups are bits. */
struct topology {
  u32 cores, groups, domains;
  u32 known; /* 0: the program makes a flat topology */
  u64 all[CORE_WORDS];
  struct {
    u64 cores[CORE_WORDS];
    /* What the cores of the group's domain share, as bits: 1 a core, 2 a level 2 cache,
       4 a level 3 cache, 8 a memory node, 16 the machine. A smaller unit includes the
       larger ones. */
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
  __uint(max_entries, MAX_CORES + 1); /* the last lock protects the free threads */
} locks SEC(".maps");

struct choices {
  s64 key[MAX_CORES];
  s64 key2[MAX_CORES];
  u64 left[CORE_WORDS];
};

/* The memory for loops over cores in an order. Each CPU has two entries: for operations
   and for timers. */
struct choices choices[ORDERS + 1][2][MAX_CORES];

/* {An event} */

struct event {
  s64 self;
  s64 target;
  s64 waker;
  s64 clock;
  u32 cpu;   /* the CPU on which the program runs */
  u32 timer; /* 1: the program is a timer */
  /* Set while threads are stolen. */
  s64 source, destination, source_group, destination_group;
  s64 taken_load, taken;
  s64 chosen; /* the new state of the candidate, or NOWHERE */
  u64 filtered[CORE_WORDS];
  u64 filtered_groups[GROUP_WORDS];
};
_Static_assert(sizeof(struct event) <= 480, "events stand on BPF's stack of 512 bytes");

/* The threads taken by an event, by their new state; 0 but for the time in which the
   source is locked. Policies with many states have no room for these numbers on the
   stack. Each CPU has two entries, as above. */
s64 taken_counts[2][MAX_CORES][STATES];

static __always_inline s64 *taken_count(struct event *e) {
  return taken_counts[e->timer & 1][AT(e->cpu, MAX_CORES)];
}

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

/* {Words} of other cores are read one by one, without a lock. */

static __always_inline s64 cload(s64 c) {
  return serves(c) ? OBSERVE(cores[AT(c, MAX_CORES)].cload) : 0;
}

static __always_inline s64 runnable(s64 c) {
  return serves(c) ? OBSERVE(cores[AT(c, MAX_CORES)].runnable) : 0;
}

static __always_inline s64 count(s64 c, u32 state) {
  return serves(c) ? OBSERVE(cores[AT(c, MAX_CORES)].count[state]) : 0;
}

/* Observations of the destination count the threads taken for it. */
static __always_inline s64 seen_cload(struct event *e, s64 c) {
  return cload(c) + (c == e->destination ? e->taken_load : 0);
}

static __always_inline s64 seen_runnable(struct event *e, s64 c) {
  return runnable(c) + (c == e->destination ? e->taken : 0);
}

static __always_inline s64 seen_count(struct event *e, s64 c, u32 state) {
  s64 n = count(c, state) + (c == e->destination ? taken_count(e)[state] : 0);
  return displaced_to(state) != NOWHERE && n > 1 ? 1 : n;
}

/* {Attributes} An attribute of none has its initial value; setting an attribute of none
   does nothing. */

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

/* {Attributes of the system} */

/* The start of the policy in ticks of the kernel; now() counts from it. */
u64 started;

static __always_inline s64 now(struct event *e) { return e->clock; }

/* A test defines these functions itself. */
#ifndef SYSTEM_SAYS

static __always_inline u64 ticks(void) { return bpf_jiffies64() - started; }

/* Each CPU has a generator (Marsaglia, "Xorshift RNGs", 2003), since no helper may be
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

/* A number from 0 to n - 1. */
static __always_inline s64 draw(struct event *e, s64 n) {
  return (u64)(chance(e) >> 32) * (u64)n >> 32;
}

#endif

/* The thread that runs on the CPU of the program. The function does not ask whether an
   interrupt runs there. */
static __always_inline s64 waker_of(struct event *e) {
  s64 t = cores[AT(e->cpu, MAX_CORES)].current;
  return t == e->target ? 0 : t;
}

static __always_inline void kick(s64 c) { scx_bpf_kick_cpu(c, SCX_KICK_IDLE); }

/* {Synchronized events} come one at a time on the whole machine. An event that finds
   another one under way is left out, as the same work is being done. */
u32 under_way;

static __always_inline bool alone(void) {
  return !__sync_val_compare_and_swap(&under_way, 0, 1);
}

static __always_inline void not_alone(void) {
  __sync_val_compare_and_swap(&under_way, 1, 0);
}
