/* A C root, as bindings use one. */

#include <caml/memory.h>
#include <caml/mlvalues.h>
#include <stdlib.h>

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

/* A separate root for each value in transit. */

value hold_in_root(value v) {
  value *r = malloc(sizeof *r);
  *r = v;
  caml_register_generational_global_root(r);
  return (value)r | 1;
}

value take_from_root(value held) {
  value *r = (value *)(held & ~(value)1), v = *r;
  caml_remove_generational_global_root(r);
  free(r);
  return v;
}
