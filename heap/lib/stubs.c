/* The figures of the heap runtime. Its functions are declared weak, so the addresses
   are null when OCaml's own runtime is linked. */

#include "dromos_heap.h"
#include <caml/alloc.h>
#include <caml/mlvalues.h>

#pragma weak dromos_heap_read
#pragma weak dromos_heap_report

value dromos_heap_ml_figures(value unit) {
  (void)unit;
  if (!dromos_heap_read) return Atom(0);
  dromos_heap_figures f;
  dromos_heap_read(&f);
  const uint64_t *figures = (const uint64_t *)&f;
  mlsize_t n = sizeof f / sizeof *figures;
  value a = caml_alloc_small(n, 0);
  for (mlsize_t i = 0; i < n; i++) Field(a, i) = Val_long((intnat)figures[i]);
  return a;
}

value dromos_heap_ml_report(value unit) {
  char text[2048] = "";
  (void)unit;
  if (dromos_heap_report) dromos_heap_report(text, sizeof text);
  return caml_copy_string(text);
}
