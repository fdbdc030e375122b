/* The nesting depth of the calling thread in sections that must not be preempted. The
   variable is a thread-local of C, since all systhreads of a domain share OCaml's
   domain-local storage. */

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

/* A number of the calling thread, unique among living threads. */
value dromos_mask_thread(value unit)
{
  (void)unit;
  return Val_long((uintnat)&depth / sizeof(depth));
}
