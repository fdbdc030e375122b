/* Spawning domains.

   The first spawn freezes the leaf of the program's only domain, since nothing was
   pinned until then; later spawns publish the closure. The spawning domain waits until
   the new domain runs. The new domain sets its result, then ends, then signals the
   joining domain: so a program that has joined all its domains is alone. */

#include "hh.h"
#include <caml/runtime_events.h>
#include <caml/sync.h>
#include <stdlib.h>
#include <unistd.h>

typedef struct start {
  value callback, termination; /* generational global roots */
  domain *domain;
  pthread_mutex_t lock;
  pthread_cond_t begun;
  int running, unique_id;
  _Atomic int holders; /* references to the record: of the spawning and the new domain */
} start;

/* Fields of Domain.term_sync. */
enum { RESULT, MUTEX, CONDITION };

static start *make_start(domain *d) {
  start *s = calloc(1, sizeof *s);
  if (!s) caml_fatal_error("heap: out of memory");
  s->domain = d;
  s->callback = s->termination = Val_unit;
  pthread_mutex_init(&s->lock, NULL);
  pthread_cond_init(&s->begun, NULL);
  s->holders = 2;
  caml_register_generational_global_root(&s->callback);
  caml_register_generational_global_root(&s->termination);
  return s;
}

static void let_go(start *s) {
  if (atomic_fetch_sub(&s->holders, 1) > 1) return;
  pthread_mutex_destroy(&s->lock);
  pthread_cond_destroy(&s->begun);
  free(s);
}

static void forget_roots(start *s) {
  caml_remove_generational_global_root(&s->callback);
  caml_remove_generational_global_root(&s->termination);
}

/* [Finished (Ok x)] or [Finished (Error e)]. */
static value finished(caml_result r) {
  CAMLparam0();
  CAMLlocal3(data, result, state);
  int failed = caml_result_is_exception(r);
  data = r.data;
  result = caml_alloc_small(1, failed);
  Field(result, 0) = data;
  state = caml_alloc_small(1, 0);
  Field(state, 0) = result;
  CAMLreturn(state);
}

static void announce(start *s) {
  pthread_mutex_lock(&s->lock);
  s->unique_id = s->domain->state->unique_id;
  s->running = 1;
  pthread_cond_signal(&s->begun);
  pthread_mutex_unlock(&s->lock);
}

/* Stores the result and ends the domain. The mutex is held in between, so a joining
   domain sees the result only after the domain has ended. */
static void end_with(start *s, value state, void *signals) {
  sync_mutex mutex = Mutex_val(Field(s->termination, MUTEX));
  sync_condvar condition = Condition_val(Field(s->termination, CONDITION));
  CAMLparam1(state);
  caml_enter_blocking_section_no_pending();
  pthread_mutex_lock(mutex);
  caml_leave_blocking_section();
  caml_modify(&Field(s->termination, RESULT), state);
  CAMLdrop;
  caml_free_signal_stack(signals);
  hh_leave(s->domain);
  pthread_cond_broadcast(condition);
  pthread_mutex_unlock(mutex);
}

/* Calls the function. The root is cleared first: so the closure's values live no
   longer than the call. */
static caml_result call(start *s) {
  value f = s->callback;
  caml_modify_generational_global_root(&s->callback, Val_unit);
  return caml_callback_res(f, Val_unit);
}

static void *thread(void *data) {
  start *s = data;
  hh_lock_roster(NULL);
  hh_enter(s->domain);
  hh_unlock_roster();
  CAML_EV_LIFECYCLE(EV_DOMAIN_SPAWN, getpid());
  caml_domain_initialize_hook();
  void *signals = caml_init_signal_stack();
  announce(s);
  caml_result r = call(s);
  end_with(s, finished(r), signals);
  forget_roots(s);
  let_go(s);
  hh_thread_is_over();
  return NULL;
}

/* Bytes of large objects without fields. */
static size_t without_fields(chunks *l) {
  size_t n = 0;
  for (chunk *c = l->first; c; c = c->next)
    if (c->large && Tag_val(Val_hp(c->base)) >= No_scan_tag) n += c->bytes;
  return n;
}

/* Adds a leaf. The second leaf freezes the first: from then on the objects of the
   single heap belong to all domains. */
void hh_add_leaf(domain *d) {
  if (atomic_fetch_add(&hh_leaves, 1) > 1) return;
  hh_leave_area(d);
  hh_collect_new_customs(d);
  hh_note_freezes(hh_live(&d->leaf->live), without_fields(&d->leaf->old));
  hh_freeze(d->leaf);
  hh_note_all_live();
  hh_new_area(d);
}

/* Reserves a place for a further domain; NULL if all are taken. From here on the
   program is not alone. */
static domain *reserve(domain *d) {
  domain *found = NULL;
  hh_lock_roster(d);
  for (int i = 0; i < hh_max_domains; i++)
    if (!hh_domains[i].reserved) { found = &hh_domains[i]; break; }
  if (found) {
    found->reserved = 1;
    if (found == &hh_domains[hh_places]) hh_places++;
    atomic_fetch_add(&caml_num_domains_running, 1);
    hh_add_leaf(d);
  }
  hh_unlock_roster();
  return found;
}

static int begin(start *s) {
  pthread_t t;
  pthread_attr_t detached;
  pthread_attr_init(&detached);
  pthread_attr_setdetachstate(&detached, PTHREAD_CREATE_DETACHED);
  int failed = pthread_create(&t, &detached, thread, s);
  pthread_attr_destroy(&detached);
  return !failed;
}

static void give_up(start *s) {
  domain *place = s->domain;
  forget_roots(s);
  let_go(s);
  let_go(s);
  hh_lock_roster(hh_self);
  place->reserved = 0;
  atomic_fetch_sub(&caml_num_domains_running, 1);
  atomic_fetch_sub(&hh_leaves, 1);
  hh_unlock_roster();
  caml_failwith("failed to create domain: no thread");
}

static int await(start *s) {
  caml_enter_blocking_section_no_pending();
  pthread_mutex_lock(&s->lock);
  while (!s->running) pthread_cond_wait(&s->begun, &s->lock);
  int id = s->unique_id;
  pthread_mutex_unlock(&s->lock);
  caml_leave_blocking_section();
  let_go(s);
  return id;
}

value caml_domain_spawn(value callback, value termination) {
  CAMLparam2(callback, termination);
  domain *d = hh_self;
  hh_collect_before_spawn(d);
  domain *place = reserve(d);
  if (!place) caml_failwith("failed to allocate domain");
  start *s = make_start(place);
  caml_modify_generational_global_root(&s->callback, callback);
  caml_modify_generational_global_root(&s->termination, termination);
  if (!begin(s)) give_up(s);
  CAMLreturn(Val_int(await(s)));
}
