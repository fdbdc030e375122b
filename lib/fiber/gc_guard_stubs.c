/* Puts guards around functions of the program that the collector calls: see gc_guard.mli.

   The linker sends each call of the wrapped primitives, in any library of the program, to
   the function __wrap_..., and calls of __real_... to the primitive itself. The calls are
   those of Stdlib's Gc. */

#define CAML_INTERNALS
#include "platform.h"
#include <caml/callback.h>
#include <caml/memory.h>
#include <caml/mlvalues.h>

extern value caml_domain_dls_get(value unit);

/* The runtime begins a domain without a table. */
value dromos_gc_guard_domain_began(value unit)
{
  value table = caml_domain_dls_get(unit);
  return Val_bool(Is_block(table) && Wosize_val(table) > 0);
}

#if DROMOS_LINUX

/* Functions of Gc_guard; Val_unit until the module is initialised. */
static value with_value = Val_unit, without_value = Val_unit, tracker = Val_unit;

value dromos_gc_guard_set(value first, value last, value memprof)
{
  with_value = first;
  without_value = last;
  tracker = memprof;
  caml_register_generational_global_root(&with_value);
  caml_register_generational_global_root(&without_value);
  caml_register_generational_global_root(&tracker);
  return Val_true;
}

static value guarded(value guard, value f)
{
  return guard == Val_unit ? f : caml_callback(guard, f);
}

extern value __real_caml_final_register(value f, value v);
extern value __real_caml_final_register_called_without_value(value f, value v);
extern value __real_caml_memprof_start(value rate, value frames, value tracker);

value __wrap_caml_final_register(value f, value v)
{
  CAMLparam2(f, v);
  f = guarded(with_value, f);
  CAMLreturn(__real_caml_final_register(f, v));
}

value __wrap_caml_final_register_called_without_value(value f, value v)
{
  CAMLparam2(f, v);
  f = guarded(without_value, f);
  CAMLreturn(__real_caml_final_register_called_without_value(f, v));
}

value __wrap_caml_memprof_start(value rate, value frames, value t)
{
  CAMLparam3(rate, frames, t);
  t = guarded(tracker, t);
  CAMLreturn(__real_caml_memprof_start(rate, frames, t));
}

#else

value dromos_gc_guard_set(value first, value last, value memprof)
{
  (void)first;
  (void)last;
  (void)memprof;
  return Val_false;
}

#endif
