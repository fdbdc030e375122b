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
