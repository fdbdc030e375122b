/* Heaps of fork-join tasks.

   A task (a branch of a fork that another worker takes, or the first fiber of a run)
   has a heap of its own, made when it begins: it allocates there, collects it by
   itself, and takes it along when it is suspended and goes on in another domain.
   When it is joined its heap becomes part of the joining task's, by a step for each
   chunk, and what was pinned for it is private again.

   Who forks is not interrupted: it goes on in its heap, which it may collect. What the
   branch can reach is pinned at the depth of the fork; the heap's depth is one more
   until the join. The branch itself is kept in a record here, as its result is, so
   that the scheduler's queues, which belong to all, hold no pointer to either.

   Invariant: what a domain's roots reach of a leaf that is not its current one is
   pinned. So whenever the leaf changes, what the roots reach of the old one is
   published: not the suspended task's own stack, which its record keeps.

   A record's cell is a block of one field outside of all heaps, a root of its task
   alone: stores into it publish nothing. The task keeps there what changes all the
   time, and that others must not look at, while the rest of it is known to all.

   After MPL's heap hierarchy (Arora, Westrick, Acar, PLDI 2023): there both branches
   get new heaps at a fork, and the parent's is not collected meanwhile. Called from
   the scheduler's stubs, as weak symbols; all with the domain's lock held. */

#include "hh.h"
#include <stdlib.h>

_Atomic size_t hh_leaves, hh_splits, hh_merges;

enum { FREE, OFFERED, TAKEN, WITHDRAWN };

struct task {
  header_t header;  /* of the cell: */
  value cell;
  value code;       /* the branch, until it is taken or withdrawn */
  value kept;       /* the suspended task's continuation, or the result */
  heap *leaf;       /* NULL: it has none, and runs in the domain's own */
  heap *forked_in;  /* NULL: where nothing expires */
  heap *home;       /* the same, while that has not ended */
  int level;        /* what its fork made of that heap's depth */
  int suspended;    /* or finished: what it had is in [kept] */
  value token;      /* who can still resume it has this block */
  int resumable;    /* as a global collection has found */
  _Atomic int state, holders; /* who forked it, and who may still take it */
  task *next;       /* free ones */
  size_t number;
};

/* {1 Records}, in chunks that belong to a heap of their own: so its address tells
   that a field is a cell. */

heap hh_cells = {.frozen = 1};

#define BLOCK_LOG 11
#define BLOCK ((size_t)1 << BLOCK_LOG)
_Static_assert(BLOCK * sizeof(struct task) <= CHUNK_BYTES, "a block is a chunk");
static task *blocks[1 << 12];
static size_t made; /* records that were ever used */
static task *unused;
static heap *unused_heaps; /* linked by [task]; never given back: others may look */
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static task *nth(size_t i) { return &blocks[i >> BLOCK_LOG][i & (BLOCK - 1)]; }
static task *at(value v) { return nth((size_t)Long_val(v)); }
static value number(task *t) { return Val_long(t->number); }
static const value no_task = Val_long(-1);

static task *fresh(void) {
  if (made % BLOCK == 0) {
    chunk *c = made < BLOCK * (sizeof blocks / sizeof *blocks)
                   ? hh_new_chunk(&hh_cells, CHUNK_BYTES)
                   : NULL;
    if (!c) caml_fatal_error("heap: no room for one more task, after %zu", made);
    blocks[made >> BLOCK_LOG] = (task *)c->base;
  }
  task *t = nth(made);
  t->number = made++;
  return t;
}

static task *new_record(int holders) {
  pthread_mutex_lock(&lock);
  task *t = unused;
  if (t) unused = t->next;
  else t = fresh();
  *t = (task){.number = t->number,
              .header = Make_header(1, 0, NOT_MARKABLE),
              .cell = Val_unit, .code = Val_unit, .kept = Val_unit,
              .token = Val_unit, .level = PERMANENT,
              .state = OFFERED, .holders = holders};
  pthread_mutex_unlock(&lock);
  return t;
}

static void let_go(task *t) {
  if (atomic_fetch_sub(&t->holders, 1) > 1) return;
  pthread_mutex_lock(&lock);
  t->state = FREE;
  t->cell = t->code = t->kept = Val_unit;
  t->next = unused;
  unused = t;
  pthread_mutex_unlock(&lock);
}

/* {1 Heaps} */

static void make_heap(task *t) {
  pthread_mutex_lock(&lock);
  heap *h = unused_heaps;
  if (h) unused_heaps = (heap *)h->task;
  pthread_mutex_unlock(&lock);
  if (!h && !(h = calloc(1, sizeof *h))) caml_fatal_error("heap: out of memory");
  h->depth = t->level;
  h->task = t;
  h->scanned_in = hh_watches(hh_self) && hh_self->has_scanned ? hh_cycle : 0;
  t->leaf = h;
  atomic_fetch_add(&hh_leaves, 1);
  atomic_fetch_add(&hh_splits, 1);
}

static void free_levels(heap *h) {
  for (int i = 0; h->levels && i <= DEEPEST; i++) free(h->levels[i].at);
  free(h->levels);
  h->levels = NULL;
}

/* It is empty, but for the memory of its lists. */
static void free_heap(heap *h) {
  h->open = h->area_chunk = NULL;
  h->area = (stretch){NULL, NULL};
  h->grown = h->live = h->since = 0;
  free_levels(h);
  h->disordered = 0;
  pthread_mutex_lock(&lock);
  h->task = (task *)unused_heaps;
  unused_heaps = h;
  pthread_mutex_unlock(&lock);
  atomic_fetch_sub(&hh_leaves, 1);
  atomic_fetch_add(&hh_merges, 1);
}

/* What was marked when a heap was scanned is not looked at again: who goes on there has
   been scanned too. */
static void scan_first(domain *d, heap *h) {
  if (hh_watches(d) && !d->has_scanned && h->scanned_in == hh_cycle) hh_scan_private(d);
}

void hh_switch(domain *d, heap *to) {
  if (d->leaf == to) return;
  scan_first(d, to);
  hh_publish_roots(d);
  hh_collect_new_customs(d);
  hh_keep_area(d);
  d->leaf = to;
  hh_take_area(d);
  if (hh_callbacks_wait(d)) caml_set_action_pending(d->state);
}

/* A task that waits under a C frame is still on its domain, and its thread may go on
   while the domain has another leaf: so these are several. */
static void note_entered(domain *d, task *t) {
  for (size_t i = 0; i < d->entered.count; i++)
    if (d->entered.at[i] == t) return;
  hh_push(&d->entered, t);
}

static void note_left(domain *d, task *t) {
  for (size_t i = 0; i < d->entered.count; i++)
    if (d->entered.at[i] == t) d->entered.at[i--] = d->entered.at[--d->entered.count];
}

static void switch_to(domain *d, task *t) {
  if (t && !t->leaf && !hh_alone()) make_heap(t);
  if (t && t->leaf) note_entered(d, t);
  hh_switch(d, t && t->leaf ? t->leaf : &d->own);
}

/* {1 For cycles}. Suspended tasks' heaps are scanned by who drives the cycle, while
   nobody resumes or suspends one. A domain that was scanned scans such a heap before it
   goes on there. */

static pthread_mutex_t suspending = PTHREAD_MUTEX_INITIALIZER;

static int hold(void) {
  if (!hh_marking) return 0;
  pthread_mutex_lock(&suspending);
  return 1;
}

static void release(int held) {
  if (held) pthread_mutex_unlock(&suspending);
}

heap *hh_heap_suspended(size_t i) { return nth(i)->suspended ? hh_heap_of_task(i) : NULL; }

static void scan_before(domain *d, heap *h) {
  if (!h) return;
  scan_first(d, h);
  if (hh_watches(d) && d->has_scanned && h->scanned_in != hh_cycle) hh_scan_leaf(d, h);
}

void hh_scan_suspended(domain *d) {
  pthread_mutex_lock(&suspending);
  for (size_t i = 0; i < made; i++) {
    heap *h = hh_heap_suspended(i);
    if (h && h->scanned_in != hh_cycle) hh_scan_leaf(d, h);
  }
  pthread_mutex_unlock(&suspending);
}

/* From a record, which has no barrier. */
static value taken(domain *d, value v) {
  if (hh_watches(d)) hh_shade(&d->greys, v);
  return v;
}

/* {1 What the scheduler tells}. Tasks are numbers to it; -1 is none. */

value hh_task_make(value unit) {
  (void)unit;
  return number(new_record(1));
}

value hh_task_cell(value t) { return (value)&at(t)->cell; }

value hh_task_enter(value t) {
  switch_to(hh_self, t == no_task ? NULL : at(t));
  return Val_unit;
}

/* What its branch can reach. */
static int pin_for(task *t) { return t->level < DEEPEST ? t->level : DEEPEST; }

value hh_task_fork(value parent, value code) {
  domain *d = hh_self;
  task *t = new_record(2), *p = parent == no_task ? NULL : at(parent);
  heap *h = p ? p->leaf : NULL;
  t->forked_in = t->home = h;
  if (h) t->level = ++h->depth;
  int depth = h != d->leaf ? PERMANENT : pin_for(t);
  if (depth != PERMANENT) hh_hand_over_to_task(code, depth);
  else if (!hh_alone()) hh_hand_over(code, depth);
  t->code = code;
  hh_stored(d);
  return number(t);
}

static void disorder(heap *h) {
  h->disordered = 1;
  free_levels(h);
}

void hh_disorder_all(heap *h) {
  for (; h; h = h->task ? h->task->forked_in : NULL) h->disordered = 1;
}

/* While a cycle marks what is shared, all that is shared stays so. */
void hh_let_expire(heap *h) {
  if (hh_marking) return;
  hh_expire(h);
  hh_bring_back(h);
}

/* The join's end: the branch is over, or was not begun. Forks end where they began and
   in order, but for programs that capture continuations inside of them and go on
   elsewhere: then nothing expires any more in either heap. (One that was forked where
   nothing expires has left nothing that does.) */
static void close_fork(domain *d, task *t) {
  heap *h = t->forked_in;
  if (!h) return;
  if (h == d->leaf && h->depth == t->level) {
    h->depth--;
    hh_let_expire(h);
  } else {
    h->disordered = 1;
    disorder(d->leaf);
  }
}

static int take(task *t, int as) {
  int offered = OFFERED;
  return atomic_compare_exchange_strong(&t->state, &offered, as);
}

static void switch_to_leaf_of(domain *d, value task) {
  heap *h = task == no_task ? NULL : at(task)->leaf;
  hh_switch(d, h ? h : &d->own);
}

value hh_task_withdraw(value joining, value v) {
  task *t = at(v);
  domain *d = hh_self;
  if (!take(t, WITHDRAWN)) return Val_false;
  t->code = Val_unit;
  switch_to_leaf_of(d, joining);
  close_fork(d, t);
  let_go(t);
  return Val_true;
}

value hh_task_take(value v) {
  int taken = take(at(v), TAKEN);
  let_go(at(v));
  return Val_bool(taken);
}

value hh_task_code(value v) {
  value code = taken(hh_self, at(v)->code);
  at(v)->code = Val_unit;
  return code;
}

value hh_task_may_fork(value v) {
  heap *h = at(v)->leaf;
  return Val_bool(!h || h == hh_self->leaf);
}

value hh_task_has_heap(value t) { return Val_bool(at(t)->leaf != NULL); }

/* What it keeps may be of the leaf that the domain has instead. */
static void to_its_leaf(domain *d, task *t, value kept) {
  if (d->leaf == t->leaf) return;
  hh_hand_over(kept, PERMANENT);
  hh_stored(d);
  hh_switch(d, t->leaf);
}

/* The task has a heap. */
value hh_task_suspend(value v, value k, value token) {
  task *t = at(v);
  domain *d = hh_self;
  int held = hold();
  to_its_leaf(d, t, k);
  t->kept = k;
  t->token = token;
  t->suspended = 1;
  note_left(d, t);
  hh_hand_over(token, PERMANENT);
  hh_stored(d);
  hh_switch(d, &d->own);
  release(held);
  return Val_unit;
}

value hh_task_resume(value v) {
  task *t = at(v);
  int held = hold();
  scan_before(hh_self, t->leaf);
  switch_to(hh_self, t);
  value k = taken(hh_self, t->kept);
  t->kept = t->token = Val_unit;
  t->suspended = 0;
  release(held);
  return k;
}

/* It ends, and forks of its do not. */
static void leave_forks(heap *h) {
  disorder(h);
  pthread_mutex_lock(&lock);
  for (size_t i = 0; i < made; i++)
    if (nth(i)->home == h) nth(i)->home = NULL;
  pthread_mutex_unlock(&lock);
}

value hh_task_finish(value v, value result) {
  task *t = at(v);
  domain *d = hh_self;
  int held = hold();
  if (t->leaf) {
    to_its_leaf(d, t, result);
    if (t->leaf->depth != t->level) leave_forks(t->leaf);
  } else if (!hh_alone())
    hh_hand_over(result, PERMANENT);
  hh_stored(d);
  t->kept = result;
  t->cell = Val_unit;
  t->suspended = 1;
  note_left(d, t);
  hh_switch(d, &d->own);
  release(held);
  return Val_unit;
}

value hh_task_join(value joining, value v) {
  task *t = at(v);
  domain *d = hh_self;
  int held = hold();
  switch_to_leaf_of(d, joining);
  if (t->leaf) {
    scan_before(d, t->leaf);
    if (t->leaf->disordered) disorder(d->leaf);
    hh_merge(d->leaf, t->leaf);
    free_heap(t->leaf);
    t->leaf = NULL;
  }
  hh_note_most_pinned();
  close_fork(d, t);
  value result = taken(d, t->kept);
  release(held);
  let_go(t);
  return result;
}

/* {1 For collections} */

size_t hh_tasks(void) { return made; }

heap *hh_heap_of_task(size_t i) {
  return nth(i)->state == FREE ? NULL : nth(i)->leaf;
}

static void scan_kept(void *d, task *t, scanning_action f) {
  f(d, t->cell, &t->cell);
  f(d, t->kept, &t->kept);
}

void hh_scan_kept_of(heap *h, scanning_action f, void *data) {
  task *t = h->task;
  f(data, t->token, &t->token);
  scan_kept(data, t, f);
}

heap *hh_heap_entered(domain *d, size_t i) {
  task *t = d->entered.at[i];
  return t->suspended ? NULL : t->leaf;
}

/* What a task's record keeps for it; of a suspended one see below. */
void hh_scan_task(domain *d, heap *h, scanning_action f) {
  if (!h->task) return;
  h->task->resumable = 0;
  if (h->task->token == Val_unit) scan_kept(d, h->task, f);
}

/* Of the leaf that [d] is in: who has entered it resumes the task, if it is suspended,
   and may collect before that. */
void hh_scan_entered(domain *d, scanning_action f, void *data) {
  for (size_t i = 0; i < d->entered.count; i++) {
    task *t = d->entered.at[i];
    if (t->leaf != d->leaf && t->suspended) continue;
    f(data, t->token, &t->token);
    scan_kept(data, t, f);
  }
}

/* A suspended task whose token is dead will not go on. */
int hh_scan_resumable(domain *d, heap *h, scanning_action f) {
  task *t = h->task;
  if (!t || t->resumable || t->token == Val_unit || hh_dead(&t->token)) return 0;
  t->resumable = 1;
  scan_kept(d, t, f);
  return 1;
}

void hh_forget_lost(heap *h) {
  task *t = h->task;
  if (!t || t->token == Val_unit || t->resumable) return;
  t->cell = t->kept = t->token = Val_unit;
}

void hh_scan_running(domain *d, scanning_action f) {
  for (size_t i = 0; i < d->entered.count; i++) {
    task *t = d->entered.at[i];
    if (!t->suspended) f(d, t->cell, &t->cell);
  }
}

/* Branches that nobody has begun, and results of tasks without a heap. */
void hh_scan_offers(scanning_action f, void *data, int homeless) {
  for (size_t i = 0; i < made; i++) {
    task *t = nth(i);
    if (t->state == FREE) continue;
    if (!homeless || !t->home) f(data, t->code, &t->code);
    if (!t->leaf) scan_kept(data, t, f);
  }
}

static int depth_for(task *t, heap *home) {
  return home->disordered ? PERMANENT : pin_for(t);
}

/* Who forked a branch has it too, and all it can reach: so that is his still when all
   heaps have been collected, and published for the fork again. */
void hh_trace_offers(domain *d) {
  for (size_t i = 0; i < made; i++) {
    task *t = nth(i);
    if (t->state == FREE || !t->home) continue;
    hh_trace_start(d, t->home);
    hh_forward(d, t->code, &t->code);
    hh_trace(d);
  }
}

void hh_note_offers(domain *d) {
  for (size_t i = 0; i < made; i++) {
    task *t = nth(i);
    if (t->state != FREE && t->home)
      hh_push(&d->elsewhere, ((foreign){t->code, depth_for(t, t->home)}));
  }
}

int hh_depth_for(heap *h, heap *by) {
  for (task *t = by->task; t && t->home; t = t->home->task)
    if (t->home == h) return depth_for(t, h);
  return PERMANENT;
}
