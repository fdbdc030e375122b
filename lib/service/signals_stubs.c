/* The signal mask of a thread as the system has it: OCaml's own functions make
   lists of it. */

#define _GNU_SOURCE
#include <pthread.h>
#include <signal.h>
#include <string.h>
#include <caml/alloc.h>
#include <caml/mlvalues.h>

value dromos_signals_current(value unit)
{
  sigset_t set;
  value result;

  (void)unit;
  sigemptyset(&set);
  pthread_sigmask(SIG_BLOCK, NULL, &set);
  result = caml_alloc_string(sizeof(set));
  memcpy(Bytes_val(result), &set, sizeof(set));
  return result;
}

/* Whether the thread is Dromos's own and serves with a program's mask. */
static __thread int serves = 0;

value dromos_signals_serves(value unit)
{
  (void)unit;
  return Val_bool(serves);
}

value dromos_signals_set_serves(value b)
{
  serves = Bool_val(b);
  return Val_unit;
}

value dromos_signals_set(value mask)
{
  sigset_t set;
  memcpy(&set, String_val(mask), sizeof(set));
  pthread_sigmask(SIG_SETMASK, &set, NULL);
  return Val_unit;
}
