/* What OCaml code cannot do: wait without ever looking up. */

#include <caml/mlvalues.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>
#include <unistd.h>

extern _Atomic uintptr_t caml_num_domains_running;

/* Until the other domains have ended, the last steps of their ends too. */
value hold_till_alone(value unit) {
  while (atomic_load(&caml_num_domains_running) > 1) usleep(1000);
  usleep(10000);
  return unit;
}

/* And no cycle goes on from when it has begun to mark, till this is released. */

extern _Atomic size_t hh_stage;
extern _Atomic int hh_marking;
enum { GREET = 1, SCAN = 3, STAGES = 8 };
static _Atomic int held, released;

value hold_in_cycle(value unit) {
  size_t stage = hh_stage % STAGES;
  (void)unit;
  if (stage < GREET || stage > SCAN) return Val_false;
  held = 1;
  while (!released) usleep(1000);
  return Val_true;
}

value cycle_is_held(value unit) {
  (void)unit;
  return Val_bool(held && hh_marking);
}

value release_cycle(value unit) {
  released = 1;
  return unit;
}

value cycle_marks(value unit) {
  (void)unit;
  return Val_bool(hh_marking);
}
