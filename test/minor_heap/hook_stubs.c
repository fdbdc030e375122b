/* Stand-ins for states of the runtime that only a busy machine produces. */

#define CAML_INTERNALS
#include <caml/mlvalues.h>
#include <caml/domain_state.h>
#include <caml/misc.h>
#include <time.h>

/* Acts as if the last minor collection had ended now. */
value test_minor_heap_ends_now(value unit)
{
  call_timing_hook(&caml_minor_gc_end_hook);
  return unit;
}

/* Makes the domain look, for a tenth of a second, as if its minor heap were full and no
   collection began. */
value test_minor_heap_waits(value unit)
{
  struct timespec pause = { 0, 100000000 };
  value *ptr = Caml_state->young_ptr, *trigger = Caml_state->young_trigger;
  Caml_state->young_trigger = Caml_state->young_start;
  Caml_state->young_ptr = Caml_state->young_start + 1;
  nanosleep(&pause, NULL);
  Caml_state->young_ptr = ptr;
  Caml_state->young_trigger = trigger;
  return unit;
}
