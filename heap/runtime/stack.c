/* Stacks of fibers that nobody will resume.

   A continuation that is dropped leaves its fiber's stack behind, in C memory. Stock
   keeps it for ever. Here stacks are in a list, and a collection that sees all heaps
   (a global one, or a full one of a program with one heap) notes which it met: those
   of running fibers, of threads, and of continuations that live. The others go.

   The build has stock's fiber.c call us for its memory, and when it scans a stack. A
   stack that is in no use lies in a domain's cache, to be used again. One of a thread,
   or of a domain, has no effect handler and is never taken: while a thread is being
   made nobody scans its own. */

#include "hh.h"
#include <stdlib.h>

/* Before each block that fiber.c asks for; what is smaller than any stack is not. */
typedef struct block {
  struct block *next, *previous;
  size_t bytes; /* 0: no stack */
  size_t met;   /* in which round */
} block;

/* Of fiber.c: how many sizes of stacks are cached. */
#define SIZES 5

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static block *all;
static size_t bytes, live; /* of stacks; after the last round */
static size_t round;
static int noting; /* with the world stopped, or one heap */
static const size_t least_bytes = (size_t)8 << 20;

/* {1 Memory} */

static void enlist(block *b) {
  pthread_mutex_lock(&lock);
  b->next = all;
  if (all) all->previous = b;
  all = b;
  bytes += b->bytes;
  pthread_mutex_unlock(&lock);
}

static void delist(block *b) {
  if (b->next) b->next->previous = b->previous;
  if (b->previous) b->previous->next = b->next;
  else all = b->next;
  bytes -= b->bytes;
}

static size_t bytes_of(struct stack_info *s) {
  return Bsize_wsize((size_t)(Stack_high(s) - (value *)s->sp));
}

size_t hh_stack_bytes(caml_domain_state *s) {
  size_t n = 0;
  for (struct stack_info *x = s->current_stack; x; x = Stack_parent(x)) n += bytes_of(x);
  return n;
}

/* Read without the lock: sooner or later. */
int hh_stacks_due(void) { return bytes > 2 * live + least_bytes; }

/* Stacks may grow while the heap does not. */
static void ask_for_collection(void) {
  domain *d = hh_self;
  if (d && hh_stacks_due()) hh_ask_to_collect(d);
}

void *hh_fiber_alloc_noexc(size_t n) {
  block *b = malloc(sizeof *b + n);
  if (!b && hh_self) hh_refuse(hh_self);
  if (!b) return NULL;
  *b = (block){NULL, NULL, n < Bsize_wsize(caml_fiber_wsz) ? 0 : n, round};
  if (b->bytes) {
    enlist(b);
    ask_for_collection();
  }
  return b + 1;
}

void *hh_fiber_alloc(size_t n) {
  void *p = hh_fiber_alloc_noexc(n);
  if (!p) caml_raise_out_of_memory();
  return p;
}

void hh_fiber_free(void *p) {
  if (!p) return;
  block *b = (block *)p - 1;
  if (b->bytes) {
    pthread_mutex_lock(&lock);
    delist(b);
    pthread_mutex_unlock(&lock);
  }
  free(b);
}

/* {1 Rounds} */

static void meet(struct stack_info *s) { ((block *)s - 1)->met = round; }

void hh_fiber_scan_stack(scanning_action, scanning_action_flags, void *,
                         struct stack_info *, value *);

void caml_scan_stack(scanning_action f, scanning_action_flags flags, void *data,
                     struct stack_info *stack, value *regs) {
  for (struct stack_info *s = stack; s; s = Stack_parent(s)) {
    hh_self->scanned_stacks += bytes_of(s);
    if (noting) meet(s);
  }
  hh_fiber_scan_stack(f, flags, data, stack, regs);
}

static void meet_cached(void) {
  for (int i = 0; i < hh_max_domains; i++) {
    caml_domain_state *s = hh_domains[i].state;
    for (int k = 0; s && s->stack_cache && k < SIZES; k++)
      for (struct stack_info *x = s->stack_cache[k]; x; x = x->exception_ptr) meet(x);
  }
}

void hh_note_stacks(void) {
  round++;
  noting = 1;
}

static int of_a_fiber(block *b) {
  return ((struct stack_info *)(b + 1))->handler->handle_effect != Val_unit;
}

void hh_free_dead_stacks(void) {
  noting = 0;
  meet_cached();
  pthread_mutex_lock(&lock);
  for (block *b = all, *next; b; b = next) {
    next = b->next;
    if (b->met == round || !of_a_fiber(b)) continue;
    delist(b);
    free(b);
  }
  live = bytes;
  pthread_mutex_unlock(&lock);
}
