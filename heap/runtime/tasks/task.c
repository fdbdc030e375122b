/* Heaps of fork-join tasks.

   A task is a branch of a fork that another worker has taken, or the first fiber of a
   run. The task gets a heap when it begins. The task allocates there and collects the
   heap alone. When the task is suspended and continues in another domain, the heap
   goes along. At the join the heap becomes a part of the joining task's heap, by a
   step for each chunk, and the objects pinned for the branch are private again.

   hh_task_make  --> running
       hh_task_fork  --> offered
       offered       -- hh_task_withdraw -->  free: the forking task runs the branch
       offered       -- hh_task_take, hh_task_code, hh_task_enter -->  running
       running       -- hh_task_suspend -->   suspended
       suspended     -- hh_task_resume -->    running
       running       -- hh_task_finish -->    finished
       finished      -- hh_task_join -->      free

   A fork does not interrupt the forking task: the task goes on in its heap, and may
   collect it. The objects that the branch can reach are pinned at the fork's depth;
   the heap's depth is one more until the join. A record of the runtime keeps the
   branch and its result, so that the scheduler's queues, which all domains share, hold
   no pointer to them.

   Invariant: an object is pinned if it lies in a leaf that is not the domain's present
   leaf, and the domain's roots reach it. Therefore, before the leaf changes, the
   objects of the old leaf that the roots reach are published. The stack of a suspended
   task is not among the roots: the record keeps the stack.

   The cell of a record is a block with a single field, outside all heaps, and a root
   of its task alone. A store into the cell publishes nothing. The task keeps there a
   value that changes all the time and that other domains must not look at, while the
   rest of the task is known to all.

   After the heap hierarchy of MPL (Arora, Westrick, Acar, PLDI 2023), where both
   branches get new heaps at a fork. */

#include "tasks/task_record.h"
#include <stdlib.h>

_Atomic size_t hh_leaves, hh_splits, hh_merges;

/* {1 Heaps} */

static heap *unused_heaps; /* linked by [task]; never freed, since other domains may
                              look */

static void make_heap(task *t) {
  pthread_mutex_lock(&hh_tasks_lock);
  heap *h = unused_heaps;
  if (h) unused_heaps = (heap *)h->task;
  pthread_mutex_unlock(&hh_tasks_lock);
  if (!h && !(h = calloc(1, sizeof *h))) caml_fatal_error("heap: out of memory");
  h->depth = t->level;
  h->task = t;
  h->swept_for = hh_cycle;
  h->scanned_in = hh_watches(hh_self) && hh_self->has_scanned ? hh_cycle : 0;
  /* last: other domains may look from here on */
  __atomic_store_n(&t->leaf, h, __ATOMIC_RELEASE);
  hh_add_leaf(hh_self);
  atomic_fetch_add(&hh_splits, 1);
}

static void free_levels(heap *h) {
  for (int i = 0; h->levels && i <= DEEPEST; i++) free(h->levels[i].at);
  free(h->levels);
  h->levels = NULL;
}

/* The heap is empty, except for the memory of its lists. */
static void free_heap(heap *h) {
  h->open = h->area_chunk = NULL;
  h->area = (stretch){NULL, NULL};
  h->grown = h->since = h->loose = h->closed.count = 0;
  free_levels(h);
  h->disordered = h->hands_much = 0;
  pthread_mutex_lock(&hh_tasks_lock);
  h->task = (task *)unused_heaps;
  unused_heaps = h;
  pthread_mutex_unlock(&hh_tasks_lock);
  atomic_fetch_sub(&hh_leaves, 1);
  atomic_fetch_add(&hh_merges, 1);
}

void hh_switch(domain *d, heap *to) {
  if (d->leaf == to) return;
  hh_scan_first(d, to);
  hh_publish_roots(d);
  hh_collect_new_customs(d);
  hh_keep_area(d);
  __atomic_store_n(&d->leaf->entered, 0, __ATOMIC_RELEASE);
  d->leaf = to;
  to->entered = 1;
  hh_take_area(d);
  if (hh_callbacks_wait(d)) caml_set_action_pending(d->state);
}

/* Adds the task to the tasks entered in the domain. Several tasks may be entered: a
   task that waits under a C frame is still on the domain, while the domain's threads
   may run in another leaf. */
static void note_entered(domain *d, task *t) {
  for (size_t i = 0; i < d->entered.count; i++)
    if (d->entered.at[i] == t) return;
  hh_push(&d->entered, t);
}

static void switch_to(domain *d, task *t) {
  if (t && !t->leaf && (t->early || !hh_alone())) make_heap(t);
  if (t && t->leaf) note_entered(d, t);
  hh_switch(d, t && t->leaf ? t->leaf : &d->own);
}

/* Returns a value taken from a record. Records have no write barrier, so the value is
   shaded. */
static value taken(domain *d, value v) {
  if (hh_watches(d)) hh_shade(&d->greys, v);
  return v;
}

/* {1 The scheduler's calls}. The scheduler knows a task by a number, made of the
   record's index and its turn; -1 is no task. */

static size_t turn_of(value v) { return (size_t)Long_val(v) >> TASK_LOG; }
static task *at(value v) { return hh_nth_task((size_t)Long_val(v) & (MOST_TASKS - 1)); }
static value number(task *t) { return Val_long(t->turn << TASK_LOG | t->number); }
static const value no_task = Val_long(-1);

value hh_task_make(value several) {
  task *t = hh_new_task();
  t->early = Bool_val(several);
  return number(t);
}

value hh_task_cell(value t) { return (value)&at(t)->cell; }

/* Enters the heap of a task. A suspended task may allocate, fork and collect there
   before it is resumed. */
value hh_task_enter(value v) {
  task *t = v == no_task ? NULL : at(v);
  int held = t && t->suspended ? hh_hold_tasks() : 0;
  if (t && t->suspended) hh_scan_before(hh_self, t->leaf);
  switch_to(hh_self, t);
  hh_release_tasks(held);
  return Val_unit;
}

/* Makes the record of a branch. The domain's leaf may be another than the task's: then
   no pin can expire, and the branch's pins are permanent. */
value hh_task_fork(value parent, value code) {
  CAMLparam1(code);
  domain *d = hh_self;
  task *p = parent == no_task ? NULL : at(parent);
  heap *h = p && p->leaf == d->leaf ? d->leaf : NULL;
  if (h) hh_before_fork(d);
  task *t = hh_new_task();
  t->home = h;
  if (h) t->level = ++h->depth;
  int depth = h && !h->disordered ? hh_pin_for(t) : PERMANENT;
  if (depth != PERMANENT) hh_hand_over_to_task(code, depth);
  else if (!hh_alone()) hh_hand_over(code, depth);
  t->code = code;
  hh_stored(d);
  CAMLreturn(number(t));
}

static void disorder(heap *h) {
  h->disordered = 1;
  free_levels(h);
}

/* Unpins the objects pinned deeper than the heap's depth, unless a cycle marks: a
   cycle needs every shared object to stay shared. Bulk pins end first: an object
   lowered in a bulk-pinned chunk expires together with the objects that it reaches
   there. */
void hh_let_expire(heap *h) {
  if (hh_marking) return;
  hh_bring_back(h);
  hh_expire(h);
}

/* Ends a fork, after the branch has finished or was withdrawn. Usually a fork ends in
   the heap where it began. A program that captures continuations inside a fork may
   continue elsewhere: then nothing expires any more in either heap. A branch forked in
   a heap without expiry has left no pin that expires. */
static void close_fork(domain *d, task *t) {
  heap *h = t->home;
  if (t->level == PERMANENT) return;
  if (h != d->leaf) {
    if (h) h->disordered = 1;
    disorder(d->leaf);
  } else if (hh_close(h, t->level) && !hh_puts_off(h))
    hh_let_expire(h);
}

/* Takes the branch; 0 if the record has been taken, is free, or serves another task. */
static int take(value v) {
  size_t turn = turn_of(v);
  return atomic_compare_exchange_strong(&at(v)->offered, &turn, 0);
}

static void switch_to_leaf_of(domain *d, value task) {
  heap *h = task == no_task ? NULL : at(task)->leaf;
  hh_switch(d, h ? h : &d->own);
}

value hh_task_withdraw(value joining, value v) {
  task *t = at(v);
  domain *d = hh_self;
  if (!take(v)) return Val_false;
  t->code = Val_unit;
  switch_to_leaf_of(d, joining);
  close_fork(d, t);
  hh_let_go_of_task(t);
  return Val_true;
}

value hh_task_take(value v) { return Val_bool(take(v)); }

/* Returns the branch's closure. Another thread may have switched the domain to a leaf
   that is not below the branch's fork: then the closure is pinned permanently. */
value hh_task_code(value v) {
  task *t = at(v);
  domain *d = hh_self;
  value code = taken(d, t->code);
  if (t->leaf && t->leaf != d->leaf) hh_give_to_all(d, code);
  t->code = Val_unit;
  return code;
}

value hh_task_may_fork(value v) {
  heap *h = at(v)->leaf;
  return Val_bool(!h || h == hh_self->leaf);
}

value hh_task_has_heap(value t) { return Val_bool(at(t)->leaf != NULL); }

/* Switches to the task's leaf. The value to keep may lie in the domain's present leaf. */
static void to_its_leaf(domain *d, task *t, value kept) {
  if (d->leaf == t->leaf) return;
  hh_give_to_all(d, kept);
  hh_switch(d, t->leaf);
}

/* Leaves a suspended or finished task. The domain takes the task's pending finalisers:
   the task may be waiting for something that only a finaliser does. */
static void leave(domain *d, task *t, int held) {
  t->suspended = 1;
  for (size_t i = 0; i < d->entered.count; i++)
    if (d->entered.at[i] == t) d->entered.at[i--] = d->entered.at[--d->entered.count];
  if (t->leaf) hh_give_todo(d, t->leaf);
  hh_switch(d, &d->own);
  hh_release_tasks(held);
}

/* Suspends a task, which must have a heap. */
value hh_task_suspend(value v, value k, value token) {
  task *t = at(v);
  domain *d = hh_self;
  int held = hh_hold_tasks();
  to_its_leaf(d, t, k);
  t->kept = k;
  t->token = token;
  hh_give_to_all(d, token);
  leave(d, t, held);
  return Val_unit;
}

value hh_task_resume(value v) {
  task *t = at(v);
  int held = hh_hold_tasks();
  hh_scan_before(hh_self, t->leaf);
  switch_to(hh_self, t);
  value k = taken(hh_self, t->kept);
  t->kept = t->token = Val_unit;
  t->suspended = 0;
  hh_release_tasks(held);
  return k;
}

/* Handles a task that ends before its own forks have joined: a later join finds
   neither the task's heap nor the heaps above. */
static void leave_forks(heap *h) {
  hh_disorder_all(h);
  free_levels(h);
  hh_forget_home(h);
}

value hh_task_finish(value v, value result) {
  task *t = at(v);
  domain *d = hh_self;
  int held = hh_hold_tasks();
  if (t->leaf) {
    to_its_leaf(d, t, result);
    if (t->leaf->depth != t->level) leave_forks(t->leaf);
  } else
    hh_give_to_all(d, result);
  t->kept = result;
  t->cell = Val_unit;
  leave(d, t, held);
  return Val_unit;
}

value hh_task_join(value joining, value v) {
  task *t = at(v);
  domain *d = hh_self;
  int held = hh_hold_tasks();
  switch_to_leaf_of(d, joining);
  if (t->leaf) {
    hh_scan_before(d, t->leaf);
    if (t->leaf->disordered) disorder(d->leaf);
    /* pins would not expire after the merge */
    else if (d->leaf->disordered) hh_let_expire(t->leaf);
    hh_merge(d->leaf, t->leaf);
    free_heap(t->leaf);
    t->leaf = NULL;
  }
  hh_note_most_pinned();
  close_fork(d, t);
  if (joining == no_task) hh_after_run(d);
  value result = taken(d, t->kept);
  hh_release_tasks(held);
  hh_let_go_of_task(t);
  return result;
}
