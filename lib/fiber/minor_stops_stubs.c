/* The time for which minor collections hold up the domains: see minor_stops.mli.

   The hooks measure collecting. The sampler, a thread unknown to OCaml, measures
   waiting: every few milliseconds the sampler looks whether some domain requests a
   collection that has not begun. */

#define CAML_INTERNALS
#include <caml/mlvalues.h>
#include <caml/config.h>
#include <caml/domain.h>
#include <caml/domain_state.h>
#include <caml/minor_gc.h>
#include <caml/misc.h>
#include <limits.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdint.h>
#include <time.h>

#define SLOTS 128
#define SAMPLE_NS 5000000
#define QUIET_SAMPLES 20 /* samples without a collection before the sampler sleeps */

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t wake = PTHREAD_COND_INITIALIZER;

/* Under [lock]. */
static uintnat cycle;   /* number of the last collection */
static int64_t first;   /* the first beginning of that collection, by the monotonic
                           clock */
static int64_t last;    /* the last end of that collection so far */
static int64_t before;  /* nanoseconds of all earlier collections */
static int64_t waits;   /* nanoseconds of waiting */
static int copying;     /* domains between the two hooks */
static int sleeping;    /* 1: the sampler waits for [wake] */
/* The domains with a collection so far. OCaml never frees a domain's record. */
static caml_domain_state *domains[SLOTS];

static _Atomic int installed, sampling;
static caml_timing_hook previous_begin, previous_end;

static int64_t now(void)
{
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (int64_t)t.tv_sec * 1000000000 + t.tv_nsec;
}

/* {1 Hooks} */

/* OCaml's count changes before the first beginning, and not again before all ends. */
static void begins(void)
{
  int64_t t = now();
  pthread_mutex_lock(&lock);
  uintnat count = atomic_load(&caml_minor_collections_count);
  if (count != cycle) {
    before += last - first;
    cycle = count;
    first = last = t;
    copying = 0;
  }
  copying++;
  if (Caml_state->id < SLOTS) domains[Caml_state->id] = Caml_state;
  if (sleeping) pthread_cond_signal(&wake);
  pthread_mutex_unlock(&lock);
  if (previous_begin != NULL) previous_begin();
}

static void ends(void)
{
  if (previous_end != NULL) previous_end();
  int64_t t = now();
  pthread_mutex_lock(&lock);
  if (t > last) last = t;
  if (copying > 0) copying--;
  pthread_mutex_unlock(&lock);
}

/* {1 The sampler} */

/* The test of [caml_poll_gc_work]: the domain has used up its minor heap. OCaml code
   stores [young_ptr] in the record when the code enters the runtime. The fields are read
   without order: a stale word makes a single sample wrong. */
static int wants_collection(caml_domain_state *d)
{
  char *start = (char *)d->young_start;
  return start != NULL && (char *)d->young_trigger == start
      && (char *)d->young_ptr - Bhsize_wosize(Max_young_wosize) < start;
}

static int some_domain_waits(void)
{
  if (copying > 0) return 0;
  for (int i = 0; i < SLOTS; i++)
    if (domains[i] != NULL && wants_collection(domains[i])) return 1;
  return 0;
}

static void pause_ns(int64_t ns)
{
  struct timespec t = { 0, ns };
  nanosleep(&t, NULL);
}

static void *sampler(void *unused)
{
  int quiet = 0;
  uintnat seen = 0;
  int64_t from = now();
  (void)unused;
  for (;;) {
    pause_ns(SAMPLE_NS);
    pthread_mutex_lock(&lock);
    int64_t to = now();
    int waiting = some_domain_waits();
    if (waiting) waits += to - from;
    from = to;
    quiet = waiting || seen != cycle ? 0 : quiet + 1;
    seen = cycle;
    if (quiet >= QUIET_SAMPLES) {
      sleeping = 1;
      while (seen == cycle) pthread_cond_wait(&wake, &lock);
      sleeping = 0;
      quiet = 0;
      from = now();
    }
    pthread_mutex_unlock(&lock);
  }
  return NULL;
}

/* The thread has all signals blocked, since OCaml's handlers may not run in it. */
static int start_sampler(void)
{
  pthread_t thread;
  pthread_attr_t attributes;
  sigset_t all, old;
  int failed;
  if (pthread_attr_init(&attributes) != 0) return 0;
  pthread_attr_setdetachstate(&attributes, PTHREAD_CREATE_DETACHED);
  pthread_attr_setstacksize(&attributes, PTHREAD_STACK_MIN + 65536);
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &old);
  failed = pthread_create(&thread, &attributes, sampler, NULL);
  pthread_sigmask(SIG_SETMASK, &old, NULL);
  pthread_attr_destroy(&attributes);
  return failed == 0;
}

/* A child process has no sampler, and may have a copy of the lock held by the sampler. */
static void in_child(void)
{
  pthread_mutex_init(&lock, NULL);
  pthread_cond_init(&wake, NULL);
  sleeping = 0;
  atomic_store(&sampling, 0);
}

/* {1 From OCaml} */

/* A collection under way counts from this call. */
value dromos_minor_stops_install(value unit)
{
  if (atomic_load_explicit(&installed, memory_order_acquire) == 0
      && atomic_exchange(&installed, 1) == 0) {
    pthread_atfork(NULL, NULL, in_child);
    pthread_mutex_lock(&lock);
    cycle = atomic_load(&caml_minor_collections_count);
    first = last = now();
    pthread_mutex_unlock(&lock);
    previous_begin = atomic_load(&caml_minor_gc_begin_hook);
    previous_end = atomic_load(&caml_minor_gc_end_hook);
    atomic_store(&caml_minor_gc_begin_hook, begins);
    atomic_store(&caml_minor_gc_end_hook, ends);
  }
  return unit;
}

/* The next call tries again if the system refuses the thread. */
value dromos_minor_stops_watch(value unit)
{
  if (atomic_exchange(&sampling, 1) == 0 && !start_sampler())
    atomic_store(&sampling, 0);
  return unit;
}

value dromos_minor_stops_count(value unit)
{
  (void)unit;
  return Val_long(atomic_load_explicit(&caml_minor_collections_count,
                                       memory_order_relaxed));
}

value dromos_minor_stops_nanoseconds(value unit)
{
  (void)unit;
  pthread_mutex_lock(&lock);
  int64_t sum = before + (last - first) + waits;
  pthread_mutex_unlock(&lock);
  return Val_long(sum);
}
