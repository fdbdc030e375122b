/* The signal mask of threads that run tasks. OCaml 5 runs a handler on whichever
   thread first comes to a poll point and does not block the signal; so those with
   an OCaml handler are blocked there, and no others. */

#define _GNU_SOURCE
#include <pthread.h>
#include <signal.h>
#include <string.h>
#include <caml/alloc.h>
#include <caml/mlvalues.h>

/* Raised by the thread's own instructions: blocked, they would end the process. */
static int synchronous(int signal)
{
  return signal == SIGSEGV || signal == SIGBUS || signal == SIGFPE
      || signal == SIGILL || signal == SIGTRAP;
}

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

/* Signals below 32 that have a handler, a bit each. */
value dromos_signals_handled(value unit)
{
  intnat handled = 0;
  struct sigaction action;
  int i;

  (void)unit;
  for (i = 1; i < 32; i++)
    if (!synchronous(i) && sigaction(i, NULL, &action) == 0
        && action.sa_handler != SIG_DFL && action.sa_handler != SIG_IGN)
      handled |= (intnat)1 << i;
  return Val_long(handled);
}

value dromos_signals_set(value mask, value handled)
{
  sigset_t set;
  int i;

  memcpy(&set, String_val(mask), sizeof(set));
  for (i = 1; i < 32; i++)
    if (Long_val(handled) & ((intnat)1 << i)) sigaddset(&set, i);
  pthread_sigmask(SIG_SETMASK, &set, NULL);
  return Val_unit;
}
