/* The runtime's bound on the number of domains; Stdlib has no function for the bound. */

#define CAML_INTERNALS
#include <caml/mlvalues.h>
#include <caml/startup_aux.h>

value dromos_max_domains(value unit)
{
  (void)unit;
  return Val_long(caml_params->max_domains);
}
