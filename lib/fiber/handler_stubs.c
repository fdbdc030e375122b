/* The set of signals with an OCaml handler, and whether a signal waits for its handler.
   The runtime has a single C function as the handler of all signals. OCaml code can
   exchange a signal's handler, but cannot read the handler. */

/* A runtime without this function leaves [table] unknown. */
#pragma weak caml_scan_global_roots

#define CAML_INTERNALS
#include <signal.h>
#include <stddef.h>
#include <caml/mlvalues.h>
#include <caml/globroots.h>
#include <caml/memory.h>
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

/* The runtime's table of handlers: the block has, for each signal, the OCaml function that
   was installed last. The variable is private to the runtime, but the runtime registers
   its address as a root. NULL: not found. */
static value *table = NULL;

/* The handler by which the table is found; the program has no such handler. */
static value learnt = Val_unit;
static int learnt_at = 0;

static void look(void *unused, value v, volatile value *root)
{
  (void)unused;
  if (Is_block(v) && Tag_val(v) == 0 && Wosize_val(v) > 31 &&
      Field(v, learnt_at) == learnt)
    table = (value *)root;
}

/* The signal has the handler at the moment. */
value dromos_handlers_learn(value signal, value handler)
{
  runtimes = handler_of(Int_val(signal));
  learnt_at = Int_val(signal);
  if (learnt == Val_unit) {
    learnt = handler;
    caml_register_generational_global_root(&learnt);
    if (caml_scan_global_roots != NULL) caml_scan_global_roots(look, NULL);
  }
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

/* The signals, as a set of bits, that have had a handler; or -1 if a handler may be
   without a guard. [guards] has the guards of each signal, the newest first. No system
   call: the table has a handler that was taken away since, too. */
value dromos_handlers_known(value guards)
{
  intnat found = 0;
  if (table == NULL || !Is_block(*table)) return Val_long(-1);
  for (size_t i = 0; i < sizeof watched / sizeof watched[0]; i++) {
    int signal = watched[i];
    value handler = Field(*table, signal), known = Field(guards, signal);
    if (!Is_block(handler) || handler == learnt) continue;
    if (!Is_block(known) || Field(known, 0) != handler) return Val_long(-1);
    found |= (intnat)1 << signal;
  }
  return Val_long(found);
}

value dromos_handlers_pending(value unit)
{
  (void)unit;
  return Val_bool(caml_check_pending_signals());
}
