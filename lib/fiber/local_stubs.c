/* A number for each calling thread, unique in the process. Each operation of a task asks
   for the number, and [Thread.id (Thread.self ())] takes two calls of the runtime. */

#include <stdatomic.h>
#include <caml/mlvalues.h>

static _Atomic intnat numbered = 0;
static __thread intnat number = 0; /* 0: the thread has not asked yet */

value dromos_local_number(value unit)
{
  (void)unit;
  if (number == 0) number = atomic_fetch_add(&numbered, 1) + 1;
  return Val_long(number);
}
