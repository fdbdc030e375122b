/* Stacks of fibers that will never be resumed.

   A dropped continuation leaves its fiber's stack in C memory; stock keeps the stack
   for ever. Here all stacks are in a list. A global collection, or a full collection
   of a program with a single heap, notes the stacks that it meets: of running fibers,
   of threads, and of live continuations. The rest are freed.

   An unused stack lies in a domain's cache, to be used again. The stack of a thread or
   of a domain has no effect handler and is never freed here: while a thread is being
   made, no collection scans its stack. */

#include "hh.h"
#include <stdlib.h>

/* Precedes each block that fiber.c asks for. A block smaller than any stack is no
   stack. */
typedef struct block {
  struct block *next, *previous;
  size_t bytes; /* 0: not a stack */
  size_t met;   /* the last round that met the stack */
} block;

/* The number of stack sizes that fiber.c caches. */
#define SIZES 5

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static block *all;
static size_t bytes, /* bytes of all stacks */
    live;            /* bytes of all stacks after the last round */
static size_t round;
static int noting; /* set with the world stopped, or with a single heap */
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

/* Reads without the lock: a late answer does no harm. */
int hh_stacks_due(void) { return bytes > 2 * live + least_bytes; }

/* Asks for a collection, as stacks may grow while the heap does not. */
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
