/* The signal mask of a thread in the system's form. OCaml's own functions convert masks
   to lists. */

#include <pthread.h>
#include <signal.h>
#include <string.h>
#include <caml/alloc.h>
#include <caml/mlvalues.h>
#include <caml/signals.h>

static value changed(int how, const sigset_t *by)
{
  sigset_t before;
  value result;

  sigemptyset(&before);
  pthread_sigmask(how, by, &before);
  result = caml_alloc_string(sizeof(before));
  memcpy(Bytes_val(result), &before, sizeof(before));
  return result;
}

value dromos_signals_current(value unit)
{
  (void)unit;
  return changed(SIG_BLOCK, NULL);
}

/* Real-time signals are left alone. */
value dromos_signals_block_all(value unit)
{
  sigset_t all;

  (void)unit;
  sigemptyset(&all);
  for (int signal = 1; signal <= 31; signal++) sigaddset(&all, signal);
  return changed(SIG_BLOCK, &all);
}

/* True if the thread belongs to Dromos and has a program's mask ([Signals.serving]). */
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

/* The handlers of pending signals are called at once, as by Thread.sigmask. */
value dromos_signals_set_and_handle(value mask)
{
  dromos_signals_set(mask);
  caml_process_pending_actions();
  return Val_unit;
}
