/* The weak arrays of a domain that ends: see weak_ends.mli. */

#define CAML_INTERNALS
#include <pthread.h>
#include <caml/mlvalues.h>
#include <caml/domain.h>
#include <caml/domain_state.h>
#include <caml/major_gc.h>
#include <caml/memory.h>
#include <caml/version.h>
#include <caml/weak.h>

#if OCAML_VERSION_MAJOR == 5 && OCAML_VERSION_MINOR < 5

/* Defined by the runtime of package dromos-heap, which keeps its ephemerons
   otherwise. */
extern value hh_task_make(value) __attribute__((weak));

static pthread_once_t once = PTHREAD_ONCE_INIT;
static void (*before)(void); /* the hook that was there */
static value our_mark;       /* a root of the collector */

static void empty(value e)
{
  for (uintnat i = CAML_EPHE_FIRST_KEY + 1; i < Wosize_val(e); i++)
    Field(e, i) = caml_ephe_none;
  Ephe_data(e) = caml_ephe_none;
}

static void settle(value e)
{
  for (; e != (value)NULL; e = Ephe_link(e)) {
    if (Wosize_val(e) > CAML_EPHE_FIRST_KEY
        && Field(e, CAML_EPHE_FIRST_KEY) == our_mark)
      empty(e);
    caml_darken(Caml_state, e, NULL);
  }
}

/* No OCaml code runs in the domain after the hook that was there. */
static void domain_ends(void)
{
  before();
  settle(Caml_state->ephe_info->live);
  settle(Caml_state->ephe_info->todo);
}

static void install(void)
{
  before = caml_domain_stop_hook;
  caml_domain_stop_hook = domain_ends;
}

value dromos_weak_ends(value mark)
{
  static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
  if (hh_task_make != 0) return Val_unit;
  pthread_mutex_lock(&lock);
  if (our_mark == 0) {
    our_mark = mark;
    caml_register_generational_global_root(&our_mark);
  }
  pthread_mutex_unlock(&lock);
  pthread_once(&once, install);
  return Val_unit;
}

#else

value dromos_weak_ends(value mark)
{
  (void)mark;
  return Val_unit;
}

#endif
