/* Generational global roots of C code.

   C stubs call the functions below, by stock's names; the build keeps stock's
   globroots.c under other names. No store into a generational root may bypass the
   functions.

   The C code of any domain may read these roots. Therefore a value stored into a root
   is published, as for a module's variable, and during a cycle the value that is
   overwritten or removed is shaded. The runtime does not see plain stores of C code
   into a plain global root: the value is published when its domain collects next
   (leaf.c).

   The root of the last raised exception, in each domain's state for backtraces,
   belongs to that domain alone: trace.c scans it with the domain's roots. */

#include "hh.h"

void hh_register_root(value *root), hh_modify_root(value *root, value v),
    hh_remove_root(value *root);

static void overwritten(domain *d, value old) {
  if (hh_watches(d)) hh_shade(&d->greys, old);
}

void caml_register_generational_global_root(value *root) {
  hh_give_to_all(hh_self, *root);
  hh_register_root(root);
}

void caml_modify_generational_global_root(value *root, value v) {
  domain *d = hh_self;
  if (root == &d->state->backtrace_last_exn) {
    *root = v;
    return;
  }
  hh_give_to_all(d, v);
  overwritten(d, *root);
  hh_modify_root(root, v);
}

/* Stock needs no lock for the call, so the thread may have no domain. */
void caml_remove_generational_global_root(value *root) {
  if (caml_state) overwritten(hh_self, *root);
  hh_remove_root(root);
}
