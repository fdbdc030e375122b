/* Interrupting a domain, and stopping the world.

   A domain reaches a poll point when its young pointer meets the young limit. To
   interrupt the domain, another thread sets the limit to the highest address. The
   reasons: a stop of the world, a collection or a stage of a cycle, signals,
   finalisers, other threads.

   Each domain has a lock that is held while its OCaml code runs, and free while it
   blocks. A domain stops the world by taking all locks. The domain sets [hh_stopping]
   and interrupts the others; each frees its lock at its next poll point, and takes the
   lock again when the flag is clear. The roster keeps domains from starting and ending
   meanwhile. A domain that blocks needs no other thread to answer for it.

   A domain that stops the world again and again starves no other: the roster is
   granted in turn, and the next stop begins only when all domains that waited for the
   last stop run again. */

#include "hh.h"
#include <caml/runtime_events.h>
#include <sched.h>

_Atomic int hh_stopping;

/* The roster: the right to start and end domains, granted in the order of requests. */
static struct {
  pthread_mutex_t lock;
  pthread_cond_t next;
  size_t asked, served;
} roster = {PTHREAD_MUTEX_INITIALIZER, PTHREAD_COND_INITIALIZER, 0, 0};

/* The gate: where the domains wait that a stop keeps from running. */
static struct {
  pthread_mutex_t lock;
  pthread_cond_t opened, empty;
  size_t within;
} gate = {PTHREAD_MUTEX_INITIALIZER, PTHREAD_COND_INITIALIZER, PTHREAD_COND_INITIALIZER, 0};

/* {1 Interrupts} */

int hh_callbacks_wait(domain *d) {
  return (!d->finalising && hh_heap_with_todo(d)) || caml_check_pending_signals() ||
         atomic_load(&d->state->requested_external_interrupt);
}

int hh_must_look(domain *d) {
  caml_domain_state *s = d->state;
  return atomic_load(&hh_stopping) || s->requested_minor_gc ||
         s->requested_major_slice || s->requested_global_major_slice ||
         atomic_load_explicit(&d->stage, memory_order_relaxed) != hh_stage ||
         hh_sweep_waits(d->leaf);
}

void hh_interrupt(domain *d) {
  atomic_store(&d->state->young_limit, CAML_UINTNAT_MAX);
}

void hh_ask_to_collect(domain *d) {
  d->state->requested_minor_gc = 1;
  hh_interrupt(d);
}

/* Sets the limit first, then looks for requests; an interrupting thread does the
   reverse. Pending callbacks are no requests here: before a domain blocks, signals.c
   resets the limit without calling callbacks, and tries again as long as the limit
   stays at the highest address. */
void caml_reset_young_limit(caml_domain_state *s) {
  domain *d = &hh_domains[s->id];
  atomic_exchange(&s->young_limit, (uintnat)s->young_start);
  if (hh_must_look(d)) hh_interrupt(d);
}

void caml_update_young_limit_after_c_call(caml_domain_state *s) {
  if (s->action_pending) atomic_store(&s->young_limit, CAML_UINTNAT_MAX);
}

void caml_interrupt_self(void) { hh_interrupt(hh_self); }

/* Called in a signal handler, on any thread. */
void caml_interrupt_all_signal_safe(void) {
  for (int i = 0; i < hh_max_domains; i++) {
    domain *d = &hh_domains[i];
    if (atomic_load(&d->in_use)) hh_interrupt(d);
  }
}

void caml_process_external_interrupt(void) {
  if (atomic_load(&Caml_state->requested_external_interrupt))
    caml_domain_external_interrupt_hook();
}

int caml_incoming_interrupts_queued(void) { return atomic_load(&hh_stopping); }
void caml_handle_incoming_interrupts(void) { hh_park(hh_self); }

/* {1 Stopping} */

/* Yields for a while: most stops are shorter than falling asleep and waking. */
static void spin_while_stopping(void) {
  for (int i = 0; i < 50 && atomic_load(&hh_stopping); i++) sched_yield();
}

/* Waits until the stop is over. The domain does not hold its lock. */
static void wait_at_gate(void) {
  spin_while_stopping();
  pthread_mutex_lock(&gate.lock);
  while (atomic_load(&hh_stopping)) pthread_cond_wait(&gate.opened, &gate.lock);
  pthread_mutex_unlock(&gate.lock);
}

void hh_enter_gate(void) {
  pthread_mutex_lock(&gate.lock);
  gate.within++;
  pthread_mutex_unlock(&gate.lock);
}

void hh_leave_gate(void) {
  pthread_mutex_lock(&gate.lock);
  if (--gate.within == 0) pthread_cond_signal(&gate.empty);
  pthread_mutex_unlock(&gate.lock);
}

/* Lets a stop of the world pass. The span of runtime events is closed only if events
   were on at its beginning: a domain may stop the world in order to turn them on. */
void hh_park(domain *d) {
  (void)d;
  if (!atomic_load(&hh_stopping)) return;
  int traced = caml_runtime_events_are_active();
  if (traced) CAML_EV_BEGIN(EV_STW_HANDLER);
  hh_enter_gate();
  caml_release_domain_lock();
  wait_at_gate();
  caml_acquire_domain_lock();
  hh_leave_gate();
  if (traced) CAML_EV_END(EV_STW_HANDLER);
}

/* Locks the roster. The world may be stopped while the domain waits, so a domain with
   a lock frees the lock meanwhile. */
void hh_lock_roster(domain *d) {
  pthread_mutex_lock(&roster.lock);
  size_t turn = roster.asked++;
  int waits = turn != roster.served;
  if (waits && d) caml_release_domain_lock();
  while (turn != roster.served) pthread_cond_wait(&roster.next, &roster.lock);
  pthread_mutex_unlock(&roster.lock);
  if (waits && d) caml_acquire_domain_lock();
}

void hh_unlock_roster(void) {
  pthread_mutex_lock(&roster.lock);
  roster.served++;
  pthread_cond_broadcast(&roster.next);
  pthread_mutex_unlock(&roster.lock);
}

/* Waits until all domains that the last stop kept waiting run again. The caller holds
   the roster, so no new stop begins meanwhile. */
static void wait_till_gate_is_empty(void) {
  pthread_mutex_lock(&gate.lock);
  while (gate.within) pthread_cond_wait(&gate.empty, &gate.lock);
  pthread_mutex_unlock(&gate.lock);
}

static void interrupt_others(domain *d) {
  for (int i = 0; i < hh_max_domains; i++)
    if (&hh_domains[i] != d && hh_domains[i].in_use) hh_interrupt(&hh_domains[i]);
}

void hh_stop_world(domain *d) {
  CAML_EV_BEGIN(EV_STW_API_BARRIER);
  hh_lock_roster(d);
  wait_till_gate_is_empty();
  atomic_store(&hh_stopping, 1);
  interrupt_others(d);
  for (int i = 0; i < hh_max_domains; i++)
    if (&hh_domains[i] != d && hh_domains[i].in_use)
      pthread_mutex_lock(&hh_domains[i].lock);
  CAML_EV_END(EV_STW_API_BARRIER);
}

void hh_start_world(domain *d) {
  for (int i = 0; i < hh_max_domains; i++)
    if (&hh_domains[i] != d && hh_domains[i].in_use)
      pthread_mutex_unlock(&hh_domains[i].lock);
  pthread_mutex_lock(&gate.lock);
  atomic_store(&hh_stopping, 0);
  pthread_cond_broadcast(&gate.opened);
  pthread_mutex_unlock(&gate.lock);
  hh_unlock_roster();
}

/* {1 Stock's requests to all domains}: a single domain does the work, while the others
   are stopped. */

int caml_try_run_on_all_domains(void (*f)(caml_domain_state *, void *, int,
                                          caml_domain_state **),
                                void *data, void (*setup)(caml_domain_state *)) {
  domain *d = hh_self;
  caml_domain_state *one = d->state;
  hh_stop_world(d);
  if (setup) setup(one);
  f(one, data, 1, &one);
  hh_start_world(d);
  return 1;
}

int caml_global_barrier_num_participating(void) { return 1; }
void caml_enter_global_barrier(int n) { (void)n; }
barrier_status caml_global_barrier_and_check_final(int n) { (void)n; return 1; }
void caml_global_barrier_release_as_final(barrier_status b) { (void)b; }
