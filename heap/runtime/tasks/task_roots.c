/* Roots in the records of tasks (task.c), and the scanning and sweeping of heaps that
   no domain runs. */

#include "tasks/task_record.h"

/* {1 For collections} */

size_t hh_tasks(void) { return hh_tasks_made; }

heap *hh_heap_of_task(size_t i) {
  return __atomic_load_n(&hh_nth_task(i)->leaf, __ATOMIC_ACQUIRE);
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

/* Visits the values that the record of the heap's task keeps. [hh_scan_resumable]
   visits the values of a suspended task. */
void hh_scan_task(domain *d, heap *h, scanning_action f) {
  if (!h->task) return;
  h->task->resumable = 0;
  if (h->task->token == Val_unit) scan_kept(d, h->task, f);
}

/* Visits the values of the tasks entered in domain [d]. A suspended task is visited
   only if its leaf is the domain's: the domain has entered the leaf in order to resume
   the task, and may collect before that. */
void hh_scan_entered(domain *d, scanning_action f, void *data) {
  for (size_t i = 0; i < d->entered.count; i++) {
    task *t = d->entered.at[i];
    if (t->leaf != d->leaf && t->suspended) continue;
    f(data, t->token, &t->token);
    scan_kept(data, t, f);
  }
}

/* Visits a suspended task's values if its token is alive; 1 if so. A suspended task
   whose token is dead will never be resumed. */
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

/* Visits the cells of running tasks. After the domain has entered a leaf in order to
   resume its task, the domain's next thread may look at the cell. Before the domain
   has entered the leaf, no object there may get a longer pin. */
void hh_scan_running(domain *d, scanning_action f) {
  for (size_t i = 0; i < d->entered.count; i++) {
    task *t = d->entered.at[i];
    if (!t->suspended || t->leaf == d->leaf) f(d, t->cell, &t->cell);
  }
}

/* Visits the branches that no worker has begun, and the results of tasks without a
   heap. */
void hh_scan_offers(scanning_action f, void *data, int homeless) {
  for (size_t i = 0; i < hh_tasks_made; i++) {
    task *t = hh_nth_task(i);
    if (!homeless || !t->home) f(data, t->code, &t->code);
    if (!t->leaf) scan_kept(data, t, f);
  }
}

static int depth_for(task *t, heap *home) {
  return home->disordered ? PERMANENT : hh_pin_for(t);
}

/* Traces the offered branches into the forking tasks' heaps, during a global
   collection. The forking task holds the branch too, and all objects that the branch
   reaches; so the objects still belong to the forking task afterwards, and are
   published for the fork again. */
void hh_trace_offers(domain *d) {
  for (size_t i = 0; i < hh_tasks_made; i++) {
    task *t = hh_nth_task(i);
    if (!t->home) continue;
    hh_trace_start(d, t->home);
    hh_forward(d, t->code, &t->code);
    hh_trace(d);
  }
}

void hh_note_offers(domain *d) {
  for (size_t i = 0; i < hh_tasks_made; i++) {
    task *t = hh_nth_task(i);
    if (t->home)
      hh_push(&d->elsewhere, ((foreign){t->code, depth_for(t, t->home)}));
  }
}

/* The branch forked by heap [above] to which [h] belongs, directly or through further
   forks; or NULL. */
static task *branch_of(heap *above, heap *h) {
  for (task *t = h->task; t && t->home; t = t->home->task)
    if (t->home == above) return t;
  return NULL;
}

/* The depth at which objects of [h] are pinned for the task of [by]. Two tasks reach
   each other's objects through forks of their nearest common ancestor, or through
   forks of one of the two; the pin lasts until the first of the joins. */
int hh_depth_for(heap *h, heap *by) {
  for (task *t = NULL;; by = t->home) {
    task *other = branch_of(by, h);
    if (other || h == by) {
      int depth = other ? depth_for(other, by) : DEEPEST;
      return t && depth_for(t, by) < depth ? depth_for(t, by) : depth;
    }
    t = by->task;
    if (!t || !t->home) return PERMANENT;
  }
}

/* {1 For cycles}. The driver scans and sweeps the heaps of suspended tasks, with the
   lock [suspending] held, so that no domain enters or suspends a task meanwhile. A
   scanned domain scans such a heap before it continues there. A domain that entered a
   heap while no cycle marked had entered before it answered to this cycle. */

static pthread_mutex_t suspending = PTHREAD_MUTEX_INITIALIZER;

int hh_hold_tasks(void) {
  if (!hh_marking) return 0;
  pthread_mutex_lock(&suspending);
  return 1;
}

void hh_release_tasks(int held) {
  if (held) pthread_mutex_unlock(&suspending);
}

/* Returns the heap of task i if the task is suspended and no domain runs in the heap;
   else NULL. A domain that is about to resume the task counts as running there. If the
   record is reused meanwhile, [suspended] is cleared before the record gets another
   heap. */
heap *hh_heap_suspended(size_t i) {
  heap *h = hh_heap_of_task(i);
  if (!h || !__atomic_load_n(&hh_nth_task(i)->suspended, __ATOMIC_ACQUIRE)) return NULL;
  return __atomic_load_n(&h->entered, __ATOMIC_ACQUIRE) ? NULL : h;
}

#define each_suspended(h)                        \
  for (size_t i_ = 0; i_ < hh_tasks_made; i_++)  \
    for (heap *h = hh_heap_suspended(i_); h; h = NULL)

/* Scans the domain before it enters a heap that was scanned. No scan looks again at
   the objects that the heap's scan has marked, so a domain that continues there must
   be scanned too. */
void hh_scan_first(domain *d, heap *h) {
  if (hh_watches(d) && !d->has_scanned && h->scanned_in == hh_cycle) hh_scan_private(d);
}

void hh_scan_before(domain *d, heap *h) {
  if (!h) return;
  hh_scan_first(d, h);
  if (hh_watches(d) && d->has_scanned && h->scanned_in != hh_cycle) hh_scan_leaf(d, h);
  hh_process_weak(h);
}

void hh_scan_suspended(domain *d) {
  pthread_mutex_lock(&suspending);
  each_suspended(h) if (h->scanned_in != hh_cycle) hh_scan_leaf(d, h);
  pthread_mutex_unlock(&suspending);
}

/* Gives the pending finalisers of suspended tasks to [d]. CLEAR has marked the objects
   that a cycle revives. */
void hh_take_suspended_todo(domain *d) {
  each_suspended(h) hh_give_todo(d, h);
}

void hh_process_weak_suspended(domain *d) {
  pthread_mutex_lock(&suspending);
  each_suspended(h) hh_process_weak(h);
  if (hh_stage_of(hh_stage) == CLEAR) hh_take_suspended_todo(d);
  pthread_mutex_unlock(&suspending);
}

/* Sweeps the heaps of suspended tasks. Their young objects wait for the next cycle. */
void hh_sweep_suspended(void) {
  pthread_mutex_lock(&suspending);
  each_suspended(h) hh_sweep(h);
  pthread_mutex_unlock(&suspending);
}
