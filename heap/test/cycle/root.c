/* A root of C's, as bindings have them. */

#include <caml/memory.h>
#include <caml/mlvalues.h>

static value root = Val_unit;

value set_root(value v) {
  if (root == Val_unit) {
    root = v;
    caml_register_generational_global_root(&root);
  } else
    caml_modify_generational_global_root(&root, v);
  return Val_unit;
}

value get_root(value unit) {
  (void)unit;
  return root;
}
