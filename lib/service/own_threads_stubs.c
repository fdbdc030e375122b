/* Threads by name: a thread inherits its maker's name, so that those which Dromos
   makes, and those which the runtime makes for them, can be told from others. */

#define _GNU_SOURCE
#include <caml/mlvalues.h>

#ifdef __linux__
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

static __thread char before[16];

value dromos_own_threads_name(value unit)
{
  prctl(PR_GET_NAME, before);
  prctl(PR_SET_NAME, "dromos");
  return unit;
}

value dromos_own_threads_name_back(value unit)
{
  prctl(PR_SET_NAME, before);
  return unit;
}

value dromos_own_threads_self(value unit)
{
  (void)unit;
  return Val_long(syscall(SYS_gettid));
}
#else
value dromos_own_threads_name(value unit) { return unit; }
value dromos_own_threads_name_back(value unit) { return unit; }
value dromos_own_threads_self(value unit) { (void)unit; return Val_long(-1); }
#endif
