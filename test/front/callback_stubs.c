/* A C frame between a fiber and its scheduler's handler. */
#include <caml/callback.h>
#include <caml/memory.h>
#include <caml/mlvalues.h>

value dromos_test_through_c(value f)
{
  CAMLparam1(f);
  CAMLreturn(caml_callback(f, Val_unit));
}
