/* Records of tasks.

   The driver of a cycle reads all records without the lock; a free record holds no
   value. */

#include "tasks/task_record.h"

heap hh_cells = {.frozen = 1};

_Static_assert(BLOCK * sizeof(struct task) <= CHUNK_BYTES, "a block is a chunk");
task *hh_task_blocks[MOST_TASKS / BLOCK];
size_t hh_tasks_made;
pthread_mutex_t hh_tasks_lock = PTHREAD_MUTEX_INITIALIZER;
static task *unused;

static void make_free(task *t) {
  t->header = Make_header(1, 0, NOT_MARKABLE);
  t->cell = t->code = t->kept = t->token = Val_unit;
  t->leaf = t->home = NULL;
  t->level = PERMANENT;
  t->early = t->suspended = t->resumable = 0;
}

static task *fresh(void) {
  size_t number = hh_tasks_made;
  if (number % BLOCK == 0) {
    chunk *c = number < MOST_TASKS ? hh_new_chunk(&hh_cells, CHUNK_BYTES) : NULL;
    if (!c) caml_fatal_error("heap: no room for one more task, after %zu", number);
    hh_task_blocks[number >> BLOCK_LOG] = (task *)c->base;
  }
  task *t = hh_nth_task(number);
  t->number = number;
  t->turn = 0;
  make_free(t);
  __atomic_store_n(&hh_tasks_made, number + 1, __ATOMIC_RELEASE);
  return t;
}

task *hh_new_task(void) {
  pthread_mutex_lock(&hh_tasks_lock);
  task *t = unused;
  if (t) unused = t->next;
  else t = fresh();
  t->turn++;
  atomic_store(&t->offered, t->turn);
  pthread_mutex_unlock(&hh_tasks_lock);
  return t;
}

void hh_let_go_of_task(task *t) {
  pthread_mutex_lock(&hh_tasks_lock);
  make_free(t);
  t->next = unused;
  unused = t;
  pthread_mutex_unlock(&hh_tasks_lock);
}

/* {1 Forks out of order}. Marks the heap and all heaps above it. [hh_forget_home]
   takes the same lock when a heap ends, so no [home] on the way up is the heap of an
   ended task. */

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
