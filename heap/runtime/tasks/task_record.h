/* Records of tasks. The header declares the record and the operations that task.c,
   records.c and task_roots.c share; no file besides these may include the header. */

#ifndef HH_TASK_RECORD_H
#define HH_TASK_RECORD_H

#include "hh.h"

struct task {
  header_t header;  /* the header word of the block [cell] */
  value cell;
  value code;       /* the branch's closure, until the branch is taken or withdrawn */
  value kept;       /* a suspended task's continuation, or the result */
  heap *leaf;       /* NULL: the task runs in the domain's own heap */
  heap *home;       /* the heap that forked; NULL: no pin can expire there, or the heap
                       has ended */
  int level;        /* depth of [home] from this fork on; PERMANENT without a home */
  int early;        /* gets a heap even while there is a single domain */
  int suspended;    /* suspended or finished: [kept] has its value */
  value token;      /* every holder of the right to resume has this block */
  int resumable;    /* a global collection found [token] alive */
    size_t number,    /* index of the record */
      turn;         /* counts the uses of the record */
  _Atomic size_t offered; /* [turn] while the branch may be taken or withdrawn; then 0 */
  task *next;       /* list of free records */
};

#define BLOCK_LOG 11
#define BLOCK ((size_t)1 << BLOCK_LOG)
#define TASK_LOG 23
#define MOST_TASKS ((size_t)1 << TASK_LOG)
extern task *hh_task_blocks[];
extern size_t hh_tasks_made; /* number of records ever made */

static inline task *hh_nth_task(size_t i) {
  return &hh_task_blocks[i >> BLOCK_LOG][i & (BLOCK - 1)];
}

task *hh_new_task(void);
void hh_let_go_of_task(task *); /* the joining task calls, or the task that withdrew
                                   the branch */
void hh_forget_home(heap *);    /* the heap ends before forks of its own have joined */

/* {1 For cycles} (task_roots.c). Call the first two around suspending, resuming or
   joining a task. */
int hh_hold_tasks(void);
void hh_release_tasks(int held);
void hh_scan_first(domain *, heap *);  /* before the domain enters the heap */
void hh_scan_before(domain *, heap *); /* before the domain enters or merges the heap;
                                          NULL: no heap */

/* Protects the free records and the free heaps of tasks. */
extern pthread_mutex_t hh_tasks_lock;

/* The pin depth of the objects that a branch can reach. */
static inline int hh_pin_for(task *t) { return t->level < DEEPEST ? t->level : DEEPEST; }

#endif
