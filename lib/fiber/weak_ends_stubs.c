/* The weak arrays of a domain that ends: see weak_ends.mli. */

#define CAML_INTERNALS
#include "platform.h"
#include <pthread.h>
#include <caml/domain.h>
#include <caml/domain_state.h>
#include <caml/major_gc.h>
#include <caml/version.h>
#include <caml/weak.h>

#if OCAML_VERSION_MAJOR == 5 && OCAML_VERSION_MINOR < 5

/* The runtime of package dromos-heap stores its ephemerons in another way, and lacks
   the function that cleans stock OCaml's ephemerons. */
extern void caml_ephe_clean(value) DROMOS_MAY_LACK;

static void (*before)(void); /* the hook from before */

/* In [Phase_sweep_ephe] unmarked keys are dead. In earlier phases unmarked keys may be
   alive, and the collector may reach [Phase_sweep_ephe] before another domain has these
   arrays. */
static void settle(value e)
{
  for (; e != (value)NULL; e = Ephe_link(e)) {
    if (caml_gc_phase == Phase_sweep_ephe) caml_ephe_clean(e);
    for (uintnat i = CAML_EPHE_FIRST_KEY; i < Wosize_val(e); i++) {
      value key = Field(e, i);
      if (key != caml_ephe_none) caml_darken(Caml_state, key, NULL);
    }
    caml_darken(Caml_state, e, NULL);
  }
}

/* In [Phase_sweep_ephe] an ending domain counts as through with its arrays only if
   [must_sweep_ephe] is set. The runtime leaves the flag unset while the domain is half
   through. */
static void all_swept(struct caml_ephe_info *info)
{
  if (info->todo == (value)NULL) return;
  value last = info->todo;
  while (Ephe_link(last) != (value)NULL) last = Ephe_link(last);
  Ephe_link(last) = info->live;
  info->live = info->todo;
  info->todo = (value)NULL;
  info->must_sweep_ephe = 1;
}

/* The domain runs no OCaml code after the hook from before. */
static void domain_ends(void)
{
  before();
  struct caml_ephe_info *info = Caml_state->ephe_info;
  settle(info->live);
  settle(info->todo);
  if (caml_gc_phase == Phase_sweep_ephe) all_swept(info);
}

static void install(void)
{
  before = caml_domain_stop_hook;
  caml_domain_stop_hook = domain_ends;
}

value dromos_weak_ends(value unit)
{
  static pthread_once_t once = PTHREAD_ONCE_INIT;
  if (!DROMOS_HEAP_VARIANT) pthread_once(&once, install);
  return unit;
}

#else

value dromos_weak_ends(value unit)
{
  return unit;
}

#endif
