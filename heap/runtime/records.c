/* Records of tasks, in chunks that belong to a heap of their own: so its address tells
   that a field is a task's cell. They are used again, never freed. */

#include "task.h"

heap hh_cells = {.frozen = 1};

_Static_assert(BLOCK * sizeof(struct task) <= CHUNK_BYTES, "a block is a chunk");
task *hh_task_blocks[1 << 12];
size_t hh_tasks_made;
pthread_mutex_t hh_tasks_lock = PTHREAD_MUTEX_INITIALIZER;
static task *unused;

static task *fresh(void) {
  if (hh_tasks_made % BLOCK == 0) {
    chunk *c = hh_tasks_made < BLOCK * (sizeof hh_task_blocks / sizeof *hh_task_blocks)
                   ? hh_new_chunk(&hh_cells, CHUNK_BYTES)
                   : NULL;
    if (!c) caml_fatal_error("heap: no room for one more task, after %zu", hh_tasks_made);
    hh_task_blocks[hh_tasks_made >> BLOCK_LOG] = (task *)c->base;
  }
  task *t = hh_nth_task(hh_tasks_made);
  t->number = hh_tasks_made++;
  return t;
}

task *hh_new_task(int holders) {
  pthread_mutex_lock(&hh_tasks_lock);
  task *t = unused;
  if (t) unused = t->next;
  else t = fresh();
  *t = (task){.number = t->number,
              .header = Make_header(1, 0, NOT_MARKABLE),
              .cell = Val_unit, .code = Val_unit, .kept = Val_unit,
              .token = Val_unit, .level = PERMANENT,
              .state = OFFERED, .holders = holders};
  pthread_mutex_unlock(&hh_tasks_lock);
  return t;
}

void hh_let_go_of_task(task *t) {
  if (atomic_fetch_sub(&t->holders, 1) > 1) return;
  pthread_mutex_lock(&hh_tasks_lock);
  t->state = FREE;
  t->cell = t->code = t->kept = Val_unit;
  t->next = unused;
  unused = t;
  pthread_mutex_unlock(&hh_tasks_lock);
}

/* {1 Forks out of order}. Heaps that end give up their place under the same lock: so none
   of those above one that lives is gone. */

void hh_disorder_all(heap *h) {
  pthread_mutex_lock(&hh_tasks_lock);
  for (; h; h = h->task ? h->task->home : NULL) h->disordered = 1;
  pthread_mutex_unlock(&hh_tasks_lock);
}

void hh_forget_home(heap *h) {
  pthread_mutex_lock(&hh_tasks_lock);
  for (size_t i = 0; i < hh_tasks_made; i++)
    if (hh_nth_task(i)->home == h) hh_nth_task(i)->home = NULL;
  pthread_mutex_unlock(&hh_tasks_lock);
}
