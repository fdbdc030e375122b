/* What collections and cycles ask of tasks: the roots that their records keep (task.c), and
   who scans the heaps of those that no domain runs. */

#include "task.h"

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

/* Who has entered a leaf, to resume its task, may look at that while another thread of the
   domain runs next. Before he has entered it, nothing there is to be pinned for longer. */
void hh_scan_running(domain *d, scanning_action f) {
  for (size_t i = 0; i < d->entered.count; i++) {
    task *t = d->entered.at[i];
    if (!t->suspended || t->leaf == d->leaf) f(d, t->cell, &t->cell);
  }
}

/* Branches that nobody has begun, and results of tasks without a heap. */
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

/* Who forked a branch has it too, and all it can reach: so that is his still when all
   heaps have been collected, and published for the fork again. */
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

/* The branch of [above] in which it is, or below which. */
static task *branch_of(heap *above, heap *h) {
  for (task *t = h->task; t && t->home; t = t->home->task)
    if (t->home == above) return t;
  return NULL;
}

/* What one task has of another's it has by forks of the nearest above both, or of one of
   them: till the first of their joins. */
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

/* {1 For cycles}. Suspended tasks' heaps are scanned and swept by who drives the cycle, while
   nobody enters or suspends one. A domain that was scanned scans such a heap before it
   goes on there. Who has entered one while no cycle marked has done so before he answered to
   this one. */

static pthread_mutex_t suspending = PTHREAD_MUTEX_INITIALIZER;

int hh_hold_tasks(void) {
  if (!hh_marking) return 0;
  pthread_mutex_lock(&suspending);
  return 1;
}

void hh_release_tasks(int held) {
  if (held) pthread_mutex_unlock(&suspending);
}

/* In which no domain runs: who is about to resume its task does. (A record that had
   another turn meanwhile is not suspended any more when it has a heap.) */
heap *hh_heap_suspended(size_t i) {
  heap *h = hh_heap_of_task(i);
  if (!h || !__atomic_load_n(&hh_nth_task(i)->suspended, __ATOMIC_ACQUIRE)) return NULL;
  return __atomic_load_n(&h->entered, __ATOMIC_ACQUIRE) ? NULL : h;
}

#define each_suspended(h)                        \
  for (size_t i_ = 0; i_ < hh_tasks_made; i_++)  \
    for (heap *h = hh_heap_suspended(i_); h; h = NULL)

/* What was marked when a heap was scanned is not looked at again: who goes on there has
   been scanned too. */
void hh_scan_first(domain *d, heap *h) {
  if (hh_watches(d) && !d->has_scanned && h->scanned_in == hh_cycle) hh_scan_private(d);
}

void hh_scan_before(domain *d, heap *h) {
  if (!h) return;
  hh_scan_first(d, h);
  if (hh_watches(d) && d->has_scanned && h->scanned_in != hh_cycle) hh_scan_leaf(d, h);
  hh_tend(h);
}

void hh_scan_suspended(domain *d) {
  pthread_mutex_lock(&suspending);
  each_suspended(h) if (h->scanned_in != hh_cycle) hh_scan_leaf(d, h);
  pthread_mutex_unlock(&suspending);
}

/* Their finalisers are [d]'s then; what a cycle revives has been marked by CLEAR. */
void hh_take_suspended_todo(domain *d) {
  each_suspended(h) hh_give_todo(d, h);
}

void hh_tend_suspended(domain *d) {
  pthread_mutex_lock(&suspending);
  each_suspended(h) hh_tend(h);
  if (hh_stage_of(hh_stage) == CLEAR) hh_take_suspended_todo(d);
  pthread_mutex_unlock(&suspending);
}

/* What is young there waits for the next cycle. */
void hh_sweep_suspended(void) {
  pthread_mutex_lock(&suspending);
  each_suspended(h) hh_sweep(h);
  pthread_mutex_unlock(&suspending);
}
