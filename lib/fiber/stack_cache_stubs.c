/* Bounds the stacks that a domain keeps: see stack_cache.mli. */

#define CAML_INTERNALS
#define NATIVE_CODE
#include "platform.h"
#include <pthread.h>
#include <stdatomic.h>
#include <caml/domain.h>
#include <caml/domain_state.h>
#include <caml/fiber.h>
#include <caml/memory.h>
#include <caml/misc.h>
#include <caml/mlvalues.h>

#ifndef USE_MMAP_MAP_STACK

/* The runtime's number of sizes; each size is twice the one before. */
#define SIZES 5
/* The stacks of the smallest size that a domain keeps; half as many of the next size, so
   that each size takes as much memory. */
#define MOST 2048
/* A domain looks once in so many of its minor collections. */
#define EVERY 8

static caml_timing_hook before_end;
static void (*before_stop)(void);
static __thread unsigned collections;

/* Frees what a list of kept stacks has beyond the first [most]. The runtime links the
   list by [exception_ptr]. */
static void cut(struct stack_info **list, int most)
{
  struct stack_info *rest, *next;

  for (; *list != NULL && most > 0; most--)
    list = (struct stack_info **)&(*list)->exception_ptr;
  rest = *list;
  *list = NULL;
  for (; rest != NULL; rest = next) {
    next = rest->exception_ptr;
    caml_stat_free(rest);
  }
}

static void cut_all(int most)
{
  struct stack_info **lists = Caml_state->stack_cache;
  if (lists == NULL) return;
  for (int size = 0; size < SIZES; size++, most /= 2) cut(&lists[size], most);
}

static void collection_ends(void)
{
  if (before_end != NULL) before_end();
  if (++collections % EVERY == 0) cut_all(MOST);
}

static void domain_ends(void)
{
  before_stop();
  cut_all(0);
}

static void install(void)
{
  before_end = atomic_exchange(&caml_minor_gc_end_hook, collection_ends);
  before_stop = caml_domain_stop_hook;
  caml_domain_stop_hook = domain_ends;
}

value dromos_stack_cache_bound(value unit)
{
  static pthread_once_t once = PTHREAD_ONCE_INIT;
  if (!DROMOS_HEAP_VARIANT) pthread_once(&once, install);
  return unit;
}

/* The number of stacks that the calling domain keeps. */
value dromos_stack_cache_kept(value unit)
{
  intnat kept = 0;
  struct stack_info **lists = Caml_state->stack_cache;
  (void)unit;
  for (int size = 0; lists != NULL && size < SIZES; size++)
    for (struct stack_info *s = lists[size]; s != NULL; s = s->exception_ptr)
      kept++;
  return Val_long(kept);
}

#else

value dromos_stack_cache_bound(value unit)
{
  return unit;
}

value dromos_stack_cache_kept(value unit)
{
  (void)unit;
  return Val_long(0);
}

#endif
