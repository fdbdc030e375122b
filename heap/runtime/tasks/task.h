/* Heaps of fork-join tasks.

   The scheduler's stubs call the functions [hh_task_..], as weak symbols, with the
   domain's lock held; collections and cycles call the rest through hh.h. No function
   here may leave a root of the domain that reaches an unpinned object of another leaf. */

#ifndef HH_TASK_H
#define HH_TASK_H


typedef struct task task;
extern _Atomic size_t hh_leaves; /* the number of local heaps, of domains and of tasks */

static inline int hh_alone(void) {
  return atomic_load_explicit(&hh_leaves, memory_order_relaxed) == 1;
}

/* unpins the objects pinned deeper than the heap's depth, if no cycle forbids */
void hh_let_expire(heap *);
void hh_switch(domain *, heap *); /* the domain allocates in this heap from now on */

/* numbers of heaps made for tasks and of heaps merged */
extern _Atomic size_t hh_splits, hh_merges;

#endif
