/* Interrupting a chosen domain. This does to another domain what the runtime's
   own systhread tick does to its domain (the 50 ms timer of the threads
   library): it sets the request flag and moves the allocation limit, so that
   the next poll point enters the runtime, which then offers the runtime lock to
   the other systhreads of that domain. Both words are atomics of the domain's
   state, meant to be written by other threads. */

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

/* Preemption. The runtime calls this hook as the last of what it does at a poll
   point of OCaml code, when somebody has asked for the domain's attention: the
   systhreads library has put its own there, which yields the runtime lock. Ours
   calls that one and then OCaml, just as the runtime has called signal handlers
   a moment before; an exception goes where a signal handler's would. Allocations
   by C code do not come here. */

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

/* The number of the running fiber's stack, which stays when the stack is moved. */

#include <caml/fiber.h>

value dromos_carried_stack(value unit)
{
  (void)unit;
  return Val_long(Caml_state->current_stack->id);
}
