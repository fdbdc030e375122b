/* The runtime's bound on the number of domains, for which Stdlib has no function; and a mark
   on the threads of the service domain. */

#define CAML_INTERNALS
#include <caml/mlvalues.h>
#include <caml/startup_aux.h>

value dromos_max_domains(value unit)
{
  (void)unit;
  return Val_long(caml_params->max_domains);
}

static __thread int service = 0;

value dromos_host_enter(value unit)
{
  service = 1;
  return unit;
}

value dromos_host_on_thread(value unit)
{
  (void)unit;
  return Val_bool(service);
}
