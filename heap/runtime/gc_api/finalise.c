/* Gc.finalise and Gc.finalise_last.

   A leaf has the lists of its domain; the shared heap has the lists of ended domains.
   A young collection takes the values of [finalise] for roots. A full collection finds
   the values that nothing else reaches, keeps them alive once more, and puts their
   functions on the list [todo], which signals.c calls with the other callbacks. A
   value of [finalise_last] is looked at last, since the value may be gone. Cycles
   decide about shared values. */

#include "hh.h"
#include <caml/finalise.h>

/* {1 Registering} */

static value attach(final_list *l, const char *what, value f, value v) {
  if (!Is_block(v) || !chunk_of(v) || Tag_val(v) == Lazy_tag ||
      Tag_val(v) == Double_tag || Tag_val(v) == Forcing_tag ||
      Tag_val(v) == Forward_tag)
    caml_invalid_argument(what);
  int offset = 0;
  if (Tag_val(v) == Infix_tag) {
    offset = (int)Infix_offset_val(v);
    v -= offset;
  }
  hh_weak_or_final = 1;
  hh_push(l, ((final){f, v, offset}));
  return Val_unit;
}

value caml_final_register(value f, value v) {
  return attach(&hh_self->leaf->first, "Gc.finalise", f, v);
}

value caml_final_register_called_without_value(value f, value v) {
  return attach(&hh_self->leaf->last, "Gc.finalise_last", f, v);
}

value caml_final_release(value unit) {
  (void)unit;
  hh_self->finalising = 0;
  return Val_unit;
}

/* {1 Collecting} */

void hh_scan_finals(domain *d, heap *h, scanning_action f, scope scope) {
  for (size_t i = scope == YOUNG_ONLY ? h->first_old : 0; i < h->first.count; i++) {
    final *e = &h->first.at[i];
    f(d, e->fun, &e->fun);
    if (scope == YOUNG_ONLY) f(d, e->val, &e->val);
  }
  for (size_t i = scope == YOUNG_ONLY ? h->last_old : 0; i < h->last.count; i++) {
    final *e = &h->last.at[i];
    f(d, e->fun, &e->fun);
  }
}

/* 1 if the function is to be called. An entry without a value comes from a domain that
   ended before it could call the function. */
static int due(final *e) { return Is_long(e->val) || hh_dead(&e->val); }

static void reverse(final *at, size_t count) {
  for (size_t i = 0; i < count / 2; i++) {
    final e = at[i];
    at[i] = at[count - 1 - i];
    at[count - 1 - i] = e;
  }
}

/* Moves the due entries to the beginning of [todo], whose end is called first. Entries
   that became due earlier are called first; among the new entries, the last attached
   is called first, as gc.mli demands. */
static void take_from(heap *h, final_list *l, size_t from, int (*is_due)(final *),
                      int with_value) {
  size_t kept = from, before = h->todo.count;
  for (size_t i = from; i < l->count; i++) {
    final e = l->at[i];
    if (!is_due(&e))
      l->at[kept++] = e;
    else {
      if (!with_value) { e.val = Val_unit; e.offset = 0; }
      hh_push(&h->todo, e);
    }
  }
  l->count = kept;
  size_t dead = h->todo.count - before;
  if (dead == 0 || before == 0) return;
  reverse(h->todo.at, before + dead);
  reverse(h->todo.at, dead);
  reverse(h->todo.at + dead, before);
}

/* Takes due entries from a whole list. Afterwards no entry is known to be old until
   the leaf's next collection. */
static void take(heap *h, final_list *l, int (*is_due)(final *), int with_value) {
  h->first_old = h->last_old = 0;
  take_from(h, l, 0, is_due, with_value);
}

void hh_scan_todo(domain *d, heap *h, scanning_action f) {
  for (size_t i = 0; i < h->todo.count; i++) {
    final *e = &h->todo.at[i];
    f(d, e->fun, &e->fun);
    f(d, e->val, &e->val);
  }
}

void hh_take_dead(heap *h) { take(h, &h->first, due, 1); }
void hh_take_dead_last(heap *h) { take(h, &h->last, due, 0); }
void hh_take_young_dead_last(heap *h) { take_from(h, &h->last, h->last_old, due, 0); }

/* Call after a collection: the next young collection need not look at the present
   entries. */
void hh_finals_are_old(heap *h) {
  h->first_old = h->first.count;
  h->last_old = h->last.count;
}

/* {1 In cycles}: entries whose values are shared. An entry taken with its value
   revives the value. */

static int unmet(final *e) { return Is_long(e->val) || hh_is_unmarked(e->val); }

void hh_take_unmarked(heap *h, values *revived) {
  for (size_t i = 0; i < h->first.count; i++)
    if (hh_is_unmarked(h->first.at[i].val)) hh_push(revived, h->first.at[i].val);
  take(h, &h->first, unmet, 1);
}

void hh_take_unmarked_last(heap *h) { take(h, &h->last, unmet, 0); }

/* 1 if the sweep has found the value dead, and [hh_take_swept_last] has removed it.
   CLEAR did not take the function, since the pin of the value had expired; since then
   a fork has pinned the value again (bulk_pin.c). Only [finalise_last] needs this:
   the cycle's scan has marked the private values of [finalise]. */
static int is_gone(final *e) { return Is_long(e->val); }

void hh_take_swept_last(heap *h, int (*dead)(value)) {
  for (size_t i = 0; i < h->last.count; i++) {
    value *v = &h->last.at[i].val;
    if (Is_block(*v) && dead(*v)) *v = Val_unit;
  }
  take(h, &h->last, is_gone, 0);
}

/* After a global collection: a value that has come to another heap must stay in place,
   so that the domain that attached the function can still call it. The value is noted,
   to be published. */
static void note_strays(domain *d, heap *h, final_list *l) {
  for (size_t i = 0; i < l->count; i++) {
    heap *home = chunk_of(l->at[i].val)->heap;
    if (home != h && !home->frozen) hh_push(&d->elsewhere, ((foreign){l->at[i].val, PERMANENT}));
  }
}

void hh_note_stray_finals(domain *d, heap *h) {
  note_strays(d, h, &h->first);
  note_strays(d, h, &h->last);
}

/* {1 Calling} */

/* Publishes an entry of heap [h], as its function may be called while another heap is
   the domain's leaf. */
static void give(domain *d, heap *h, final *e) {
  heap *leaf = d->leaf;
  d->leaf = h;
  hh_give_to_all(d, e->fun);
  hh_give_to_all(d, e->val);
  d->leaf = leaf;
}

/* Gives the domain the pending functions of a heap in which no domain runs. */
void hh_give_todo(domain *d, heap *h) {
  for (size_t i = 0; i < h->todo.count; i++) give(d, h, &h->todo.at[i]);
  hh_append(&d->own.todo, &h->todo);
}

heap *hh_heap_with_todo(domain *d) {
  if (d->leaf->todo.count > 0) return d->leaf;
  for (size_t i = 0; i < d->entered.count; i++) {
    heap *h = hh_heap_entered(d, i);
    if (h && h->todo.count > 0) return h;
  }
  return d->own.todo.count > 0 ? &d->own : NULL;
}

static final take_next(domain *d, heap *h) {
  final e = h->todo.at[--h->todo.count];
  if (h != d->leaf) give(d, h, &e);
  return e;
}

/* Calls the pending functions. If a function raises, the rest wait for the next call;
   while a function runs, no other begins. */
caml_result caml_final_do_calls_res(void) {
  domain *d = hh_self;
  heap *h;
  while (!d->finalising && (h = hh_heap_with_todo(d))) {
    final e = take_next(d, h);
    d->finalising = 1;
    caml_result r = caml_callback_res(e.fun, e.val + e.offset);
    hh_self->finalising = 0;
    if (caml_result_is_exception(r)) return r;
  }
  return Result_unit;
}

void caml_final_do_roots(scanning_action f, scanning_action_flags flags, void *data,
                         caml_domain_state *s, int values) {
  (void)f; (void)flags; (void)data; (void)s; (void)values;
}
