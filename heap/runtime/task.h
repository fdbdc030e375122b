/* Records of tasks: what task.c, records.c and task_roots.c share. */

#ifndef HH_TASK_H
#define HH_TASK_H

#include "hh.h"

struct task {
  header_t header;  /* of the cell: */
  value cell;
  value code;       /* the branch, until it is taken or withdrawn */
  value kept;       /* the suspended task's continuation, or the result */
  heap *leaf;       /* NULL: it has none, and runs in the domain's own */
  heap *home;       /* where it was forked; NULL: where nothing expires, or it has ended */
  int level;        /* what its fork made of that heap's depth; or PERMANENT */
  int early;        /* it has a heap even while there is one domain */
  int suspended;    /* or finished: what it had is in [kept] */
  value token;      /* who can still resume it has this block */
  int resumable;    /* as a global collection has found */
  size_t number, turn;
  _Atomic size_t offered; /* its turn, while it may be taken or withdrawn; or 0 */
  task *next;       /* free ones */
};

#define BLOCK_LOG 11
#define BLOCK ((size_t)1 << BLOCK_LOG)
#define TASK_LOG 23
#define MOST_TASKS ((size_t)1 << TASK_LOG)
extern task *hh_task_blocks[];
extern size_t hh_tasks_made; /* records that were ever used */

static inline task *hh_nth_task(size_t i) {
  return &hh_task_blocks[i >> BLOCK_LOG][i & (BLOCK - 1)];
}

task *hh_new_task(void);
void hh_let_go_of_task(task *); /* by who joins it, or has withdrawn it */
void hh_forget_home(heap *);    /* it ends, and forks of its do not */

/* {1 For cycles} (task_roots.c). Around what suspends a task, resumes or joins one. */
int hh_hold_tasks(void);
void hh_release_tasks(int held);
void hh_scan_first(domain *, heap *);  /* before it goes on in that heap */
void hh_scan_before(domain *, heap *); /* or gets it; or NULL */

/* Also of the free heaps that tasks have. */
extern pthread_mutex_t hh_tasks_lock;

/* What a branch can reach is pinned so deep. */
static inline int hh_pin_for(task *t) { return t->level < DEEPEST ? t->level : DEEPEST; }

#endif
