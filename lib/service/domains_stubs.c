/* The bound on domains, which the runtime knows and Stdlib does not tell. */

#define CAML_INTERNALS
#include <caml/mlvalues.h>
#include <caml/startup_aux.h>

value dromos_max_domains(value unit)
{
  (void)unit;
  return Val_long(caml_params->max_domains);
}
