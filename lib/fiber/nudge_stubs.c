/* Poll requests to a chosen domain. [dromos_nudge] does to another domain what the
   runtime's systhread tick (the 50 ms timer of the threads library) does to its own
   domain. [dromos_nudge] sets the request flag and moves the allocation limit. The
   domain's next poll point then enters the runtime, which offers the runtime lock to
   the other systhreads of the domain. Both words are atomics of the domain's state, and
   other threads may write them. */

#define CAML_INTERNALS
#include <caml/mlvalues.h>
#include <caml/domain_state.h>
#include <caml/domain.h>
#include <caml/callback.h>
#include <caml/fail.h>
#include <caml/memory.h>

value dromos_nudge_self(value unit)
{
  (void)unit;
  /* Domain states are at least word-aligned, so half the address is exact. */
  return Val_long((intnat)((uintnat)Caml_state >> 1));
}

value dromos_nudge(value domain)
{
  caml_domain_state *d = (caml_domain_state *)((uintnat)Long_val(domain) << 1);
  if (d != NULL) {
    atomic_store_explicit(&d->requested_external_interrupt, 1,
                          memory_order_release);
    atomic_store_explicit(&d->young_limit, (uintnat)-1, memory_order_seq_cst);
  }
  return Val_unit;
}

/* Preemption. The runtime calls the hook last at a poll point of OCaml code, when a
   thread has requested the domain's attention. The systhreads library has installed a
   hook there, which yields the runtime lock. [hook] calls that hook and then the OCaml
   function, in the way the runtime has called signal handlers a moment before. An
   exception of the function goes where a signal handler's exception would go.
   Allocations by C code do not call the hook. */

static void (*previous)(void) = NULL;
static value at_poll = Val_unit;

static void hook(void)
{
  value result;

  previous();
  if (caml_bt_is_self()) return;
  result = caml_callback_exn(at_poll, Val_unit);
  if (Is_exception_result(result)) caml_raise(Extract_exception(result));
}

value dromos_nudge_install(value f)
{
  if (previous == NULL) {
    at_poll = f;
    caml_register_generational_global_root(&at_poll);
    previous = caml_domain_external_interrupt_hook;
    caml_domain_external_interrupt_hook = hook;
  }
  return Val_unit;
}

/* The number of the running fiber's stack; the number stays when the stack moves. */

#include <caml/fiber.h>

value dromos_carried_stack(value unit)
{
  (void)unit;
  return Val_long(Caml_state->current_stack->id);
}
