/* What OCaml code cannot do: wait without ever looking up. */

#include <caml/mlvalues.h>
#include <stdatomic.h>
#include <stdint.h>
#include <unistd.h>

extern _Atomic uintptr_t caml_num_domains_running;

/* Until the other domains have ended, the last steps of their ends too. */
value hold_till_alone(value unit) {
  while (atomic_load(&caml_num_domains_running) > 1) usleep(1000);
  usleep(10000);
  return unit;
}
