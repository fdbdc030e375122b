/* The runtime of package dromos-heap defines these functions, and hears of tasks by
   them; stock's runtime does not. Without weak symbols no program has that runtime, and
   Task_heap calls none of the functions. */

#define CAML_INTERNALS
#include "platform.h"

#if DROMOS_WEAK_SYMBOLS

#define WEAK DROMOS_MAY_LACK
extern value hh_task_cell(value) WEAK, hh_task_enter(value) WEAK,
    hh_task_fork(value, value) WEAK, hh_task_withdraw(value, value) WEAK,
    hh_task_take(value) WEAK, hh_task_code(value) WEAK,
    hh_task_finish(value, value) WEAK, hh_task_join(value, value) WEAK,
    hh_task_has_heap(value) WEAK, hh_task_may_fork(value) WEAK,
    hh_task_suspend(value, value, value) WEAK, hh_task_resume(value) WEAK,
    hh_task_share(value) WEAK;

#define CALL(function, ...) function(__VA_ARGS__)
#else
#define CALL(function, ...) Val_unit
#endif

value dromos_task_heap_is_here(value unit)
{
  (void)unit;
  return Val_bool(DROMOS_HEAP_VARIANT);
}

value dromos_task_heap_make(value several) { return CALL(hh_task_make, several); }
value dromos_task_heap_cell(value t) { return CALL(hh_task_cell, t); }
value dromos_task_heap_enter(value t) { return CALL(hh_task_enter, t); }
value dromos_task_heap_share(value v) { return CALL(hh_task_share, v); }
value dromos_task_heap_fork(value t, value code) { return CALL(hh_task_fork, t, code); }
value dromos_task_heap_withdraw(value t, value u) { return CALL(hh_task_withdraw, t, u); }
value dromos_task_heap_take(value t) { return CALL(hh_task_take, t); }
value dromos_task_heap_code(value t) { return CALL(hh_task_code, t); }
value dromos_task_heap_finish(value t, value r) { return CALL(hh_task_finish, t, r); }
value dromos_task_heap_join(value t, value u) { return CALL(hh_task_join, t, u); }
value dromos_task_heap_has_heap(value t) { return CALL(hh_task_has_heap, t); }
value dromos_task_heap_may_fork(value t) { return CALL(hh_task_may_fork, t); }
value dromos_task_heap_suspend(value t, value k, value kept)
{
  return CALL(hh_task_suspend, t, k, kept);
}
value dromos_task_heap_resume(value t) { return CALL(hh_task_resume, t); }
