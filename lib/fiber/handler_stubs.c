/* The set of signals with an OCaml handler, and whether a signal waits for its handler.
   The runtime has a single C function as the handler of all signals. OCaml code can
   exchange a signal's handler, but cannot read the handler. */

#define CAML_INTERNALS
#include <signal.h>
#include <stddef.h>
#include <caml/mlvalues.h>
#include <caml/signals.h>

static void *handler_of(int signal)
{
  struct sigaction now;
  if (sigaction(signal, NULL, &now) != 0) return NULL;
  if (now.sa_handler == SIG_DFL || now.sa_handler == SIG_IGN) return NULL;
  return (void *)now.sa_handler;
}

/* The runtime's C handler, found at a signal that has an OCaml handler. */
static void *runtimes = NULL;

value dromos_handlers_learn(value signal)
{
  runtimes = handler_of(Int_val(signal));
  return Val_unit;
}

/* The signals of faults are left out: the runtime and C libraries use those signals
   themselves. */
static const int watched[] = {
  SIGHUP, SIGINT, SIGQUIT, SIGALRM, SIGTERM, SIGUSR1, SIGUSR2, SIGPIPE, SIGCHLD,
  SIGCONT, SIGTSTP, SIGTTIN, SIGTTOU, SIGURG, SIGXCPU, SIGXFSZ, SIGVTALRM,
  SIGPROF,
#ifdef SIGWINCH
  SIGWINCH,
#endif
#ifdef SIGIO
  SIGIO,
#endif
};

/* A set of bits: signal n is bit n. */
value dromos_handlers_installed(value unit)
{
  intnat found = 0;
  (void)unit;
  if (runtimes != NULL)
    for (size_t i = 0; i < sizeof watched / sizeof watched[0]; i++)
      if (handler_of(watched[i]) == runtimes) found |= (intnat)1 << watched[i];
  return Val_long(found);
}

value dromos_handlers_pending(value unit)
{
  (void)unit;
  return Val_bool(caml_check_pending_signals());
}
