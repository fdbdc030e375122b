/* C's own roots, of the generational kind.

   Any domain's C code may read them. So what goes into one is published, as into a
   variable of a module, and in a cycle what it held is shaded when it is overwritten, or
   the root is gone. What C writes by itself into one of the other kind nobody sees: that
   is published when its domain collects next (leaf.c).

   The last exception that was raised, for which backtraces have such a root in each
   domain's state, is that domain's alone: its roots have it (trace.c).

   The build has stock's globroots.c under other names. */

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

/* Stock needs no lock for this, and so a thread may not have it. */
void caml_remove_generational_global_root(value *root) {
  if (caml_state) overwritten(hh_self, *root);
  hh_remove_root(root);
}
