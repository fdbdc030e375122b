/* Domains: state, lock, beginning and end.

   spawn.c begins further domains with [hh_enter], with the roster locked; a domain
   ends with [hh_leave], which locks the roster. A place in [hh_domains] changes
   its owner only while the roster is locked. A domain that ends freezes its heap. */

#include "hh.h"
#include <caml/backtrace.h>
#include <caml/backtrace_prim.h>
#include <caml/gc_ctrl.h>
#include <caml/runtime_events.h>
#include <caml/startup_aux.h>
#include <caml/sync.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

CAMLthread_local caml_domain_state *caml_state;
CAMLthread_local domain *hh_self;
domain hh_domains[Max_domains_max];
_Atomic int hh_places = 1;
atomic_uintnat caml_num_domains_running;

static void nothing(void) {}
void (*caml_domain_initialize_hook)(void) = nothing;
void (*caml_domain_stop_hook)(void) = nothing;
void (*caml_domain_external_interrupt_hook)(void) = nothing;

/* {1 State} */

static void *zeroed(size_t bytes) {
  void *p = calloc(1, bytes);
  if (!p) caml_fatal_error("heap: out of memory");
  return p;
}

/* The state of a domain, new or from the last domain in the place. A state is never
   freed: another domain may interrupt this domain just after its end. The next domain
   in the place inherits the tables and the free stacks. */
static caml_domain_state *state_for(domain *d) {
  static int next_id; /* protected by the roster */
  caml_domain_state *s = d->state;
  struct caml_minor_tables *tables = s ? s->minor_tables : zeroed(sizeof *tables);
  struct stack_info **stacks = s ? s->stack_cache : NULL;
  if (s) memset(s, 0, sizeof *s);
  else s = zeroed(sizeof *s);
  s->id = (int)(d - hh_domains);
  s->unique_id = next_id++;
  s->minor_tables = tables;
  s->stack_cache = stacks;
  s->minor_heap_wsz = Wsize_bsize(hh_nursery_bytes);
  s->dls_root = Atom(0);
  s->backtrace_last_exn = Val_unit;
  s->backtrace_active = caml_params->backtrace_enabled > 0;
  return s;
}

/* Makes the stacks. The caller is the domain, since stock's functions use the caller's
   state. */
static void make_stacks(caml_domain_state *s) {
  if (!s->stack_cache) s->stack_cache = caml_alloc_stack_cache();
  if (s->stack_cache) s->current_stack = caml_alloc_main_stack(Stack_init_bsize / 8);
  if (!s->current_stack) caml_fatal_error("heap: out of memory for a stack");
}

static void clear_state(caml_domain_state *s) {
  caml_free_stack(s->current_stack);
  s->current_stack = NULL;
  caml_free_backtrace_buffer(s->backtrace_buffer);
  s->backtrace_buffer = NULL;
  caml_free_gc_regs_buckets(s->gc_regs_buckets);
  s->gc_regs_buckets = NULL;
}

static void be(domain *d) {
  hh_self = d;
  caml_state = d->state;
}

/* Makes the calling thread the domain, and takes the domain's lock. Call with the
   roster locked. */
void hh_enter(domain *d) {
  d->state = state_for(d);
  d->leaf = &d->own;
  d->own.depth = PERMANENT; /* no fork level is kept from tasks that ended there */
  be(d);
  make_stacks(d->state);
  d->finalising = 0;
  pthread_mutex_lock(&d->lock);
  d->stacks = 0;
  hh_set_nursery(d);
  hh_new_area(d);
  d->began_ns = hh_now_ns();
  atomic_store(&d->in_use, 1);
  hh_join_cycle(d);
}

void caml_init_domain_self(int place) { be(&hh_domains[place]); }

void hh_first_domain(void) {
  for (int i = 0; i < hh_max_domains; i++)
    pthread_mutex_init(&hh_domains[i].lock, NULL);
  atomic_store(&caml_num_domains_running, 1);
  atomic_store(&hh_leaves, 1);
  hh_domains[0].reserved = 1;
  hh_enter(&hh_domains[0]);
  caml_domain_initialize_hook();
}

/* {1 The lock} */

/* Takes the domain's lock. The lock may be held by a domain that stops the world, or by
   the driver, which answers for a blocked domain. */
void caml_acquire_domain_lock(void) {
  domain *d = hh_self;
  if (pthread_mutex_trylock(&d->lock)) {
    hh_enter_gate();
    pthread_mutex_lock(&d->lock);
    hh_leave_gate();
  }
  caml_state = d->state;
}

/* Frees the lock and the thread's state: C code tells by the state whether it may call
   the runtime. */
void caml_release_domain_lock(void) {
  caml_state = NULL;
  pthread_mutex_unlock(&hh_self->lock);
}

/* Called in the child of a fork, whose only thread is the caller. */
void caml_reset_domain_lock(void) {
  pthread_mutex_init(&hh_self->lock, NULL);
}

static void after_fork(void) {
  caml_reset_domain_lock();
  caml_acquire_domain_lock();
}
void (*caml_atfork_hook)(void) = after_fork;

/* Stock's backup threads answer for blocked domains. In this runtime the driver, or a
   domain that stops the world, takes the blocked domain's lock: the three functions of
   backup threads are empty. */
void caml_bt_enter_ocaml(void) {}
void caml_bt_exit_ocaml(void) {}
int caml_bt_is_in_blocking_section(void) { return 0; }
int caml_bt_is_self(void) { return 0; }
int caml_domain_terminating(caml_domain_state *s) { (void)s; return 0; }
int caml_domain_is_terminating(void) { return 0; }

/* {1 The end} */

/* Threads of ended domains that are still running. */
static _Atomic int ending;
void hh_thread_is_over(void) { atomic_fetch_sub(&ending, 1); }

/* Called before a fork: 1 if there are several domains. Waits for the threads of ended
   domains, since in the child a lock held by such a thread would stay taken for ever. */
intnat caml_domain_is_multicore(void) {
  if (!caml_domain_alone()) return 1;
  while (atomic_load(&ending)) sched_yield();
  return 0;
}

void hh_leave(domain *d) {
  caml_domain_state *s = d->state;
  caml_domain_stop_hook();
  hh_lock_roster(d);
  hh_switch(d, &d->own);
  d->entered.count = 0;
  hh_leave_area(d);
  hh_collect_new_customs(d);
  pthread_mutex_lock(&hh_frozen_lock);
  /* The pending functions go to the shared heap: the first domain that finds a value
     dead calls its function. */
  hh_append(&hh_frozen.first, &d->leaf->todo);
  pthread_mutex_unlock(&hh_frozen_lock);
  hh_freeze(d->leaf);
  hh_leave_cycle(d);
  hh_emit_counters(d);
  CAML_EV_LIFECYCLE(EV_DOMAIN_TERMINATE, getpid());
  atomic_store(&d->in_use, 0);
  hh_count(d->figures.lived_ns, hh_now_ns() - d->began_ns);
  clear_state(s);
  pthread_mutex_unlock(&d->lock);
  hh_self = NULL;
  caml_state = NULL;
  d->reserved = 0;
  atomic_fetch_add(&ending, 1);
  atomic_fetch_sub(&caml_num_domains_running, 1);
  atomic_fetch_sub(&hh_leaves, 1);
  hh_unlock_roster();
}

/* {1 Small things} */

value caml_ml_domain_id(value unit) {
  (void)unit;
  return Val_int(Caml_state->unique_id);
}

value caml_ml_domain_index(value unit) {
  (void)unit;
  return Val_int(Caml_state->id);
}

value caml_ml_domain_cpu_relax(value unit) {
  if (hh_must_look(hh_self)) caml_handle_gc_interrupt();
  cpu_relax();
  return unit;
}

value caml_recommended_domain_count(value unit) {
  (void)unit;
  return Val_long(hh_processors());
}

value caml_domain_dls_set(value v) {
  Caml_state->dls_root = v;
  return Val_unit;
}

value caml_domain_dls_get(value unit) {
  (void)unit;
  return Caml_state->dls_root;
}

value caml_domain_dls_compare_and_set(value expected, value v) {
  if (Caml_state->dls_root != expected) return Val_false;
  Caml_state->dls_root = v;
  return Val_true;
}
