/* How deep the calling thread is in sections that must not be preempted. A
   thread-local of C, since OCaml's domain-local storage is shared by all
   systhreads of a domain. */

#include <caml/mlvalues.h>

static __thread intnat depth = 0;

value dromos_mask_enter(value unit)
{
  depth++;
  return unit;
}

value dromos_mask_leave(value unit)
{
  depth--;
  return unit;
}

value dromos_mask_depth(value unit)
{
  (void)unit;
  return Val_long(depth);
}
