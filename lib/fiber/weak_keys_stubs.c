/* The ephemerons of the program (weak arrays are ephemerons too), for Unreachable. */

#define CAML_INTERNALS
#include "platform.h"
#include <sched.h>
#include <stdatomic.h>
#include <caml/alloc.h>
#include <caml/domain.h>
#include <caml/domain_state.h>
#include <caml/finalise.h>
#include <caml/major_gc.h>
#include <caml/memory.h>
#include <caml/weak.h>

struct walk {
  caml_domain_state *asks;
  value into;           /* an array outside the minor heaps; 0: only count */
  value mark;           /* the first key of arrays that the walk leaves out */
  value ours;           /* 0: the walk collects arrays. Else a pair of functions: the
                           walk collects values whose finaliser is neither of the two */
  atomic_uintnat found;
  atomic_int too_late;  /* the collector has begun to empty dead keys */
  int domains;          /* number of domains; the asking domain sets the field */
  atomic_int done;      /* number of domains whose part is over */
};

/* Stores [e] so that the collector learns of [e]. The array is older than the current
   cycle's marking, or was allocated marked; the collector learns of an element when the
   field is overwritten. In OCaml 5.5 marking may not have begun: the later marking then
   finds the array and its elements. */
static void keep(value array, uintnat i, value e)
{
  caml_modify(&Field(array, i), e);
  caml_modify(&Field(array, i), Val_unit);
  caml_modify(&Field(array, i), e);
}

static void visit(struct walk *w, value e)
{
  for (; e != (value)NULL; e = Ephe_link(e)) {
    if (Wosize_val(e) > CAML_EPHE_FIRST_KEY
        && Field(e, CAML_EPHE_FIRST_KEY) == w->mark)
      continue;
    uintnat i = atomic_fetch_add(&w->found, 1);
    if (w->into != 0 && i < Wosize_val(w->into)) keep(w->into, i, e);
  }
}

static int is_ours(struct walk *w, value f)
{
  return Tag_val(f) == Closure_tag
         && (Code_val(f) == Code_val(Field(w->ours, 0))
             || Code_val(f) == Code_val(Field(w->ours, 1)));
}

static void visit_finalisable(struct walk *w, struct finalisable *t)
{
  for (uintnat i = 0; i < t->young; i++) {
    if (is_ours(w, t->table[i].fun)) continue;
    uintnat n = atomic_fetch_add(&w->found, 1);
    if (w->into != 0 && n < Wosize_val(w->into))
      keep(w->into, n, t->table[i].val);
  }
}

/* Each domain, or its backup thread, runs [visit_domain], all at the same time. */
static void visit_domain(caml_domain_state *d, void *data, int n,
                         caml_domain_state **all)
{
  struct walk *w = data;
  if (d == w->asks) w->domains = n;
  (void)all;
  if (caml_gc_phase == Phase_mark_final || caml_gc_phase == Phase_sweep_ephe)
    atomic_store(&w->too_late, 1);
  else if (w->ours != 0)
    visit_finalisable(w, &d->final_info->first);
  else {
    visit(w, d->ephe_info->todo);
    visit(w, d->ephe_info->live);
  }
  atomic_fetch_add(&w->done, 1);
}

static int walk(struct walk *w, value into, value mark, value ours)
{
  w->into = into;
  w->mark = mark;
  w->ours = ours;
  atomic_init(&w->found, 0);
  atomic_init(&w->too_late, 0);
  atomic_init(&w->done, 0);
  w->asks = Caml_state;
  if (!caml_try_run_on_all_domains(&visit_domain, w, NULL)) return 0;
  /* Wait for the other domains, which need no action of this domain. */
  while (atomic_load(&w->done) < w->domains) sched_yield();
  return !w->too_late;
}

/* An array of the collected values, with [filler] in the remaining places. [None] in
   the heap variant, which stores its ephemerons in another way; if the collector is in
   a late phase; or if more values came during the walk than the array has room for. */
static value collected(value mark, value ours, value filler)
{
  CAMLparam2(mark, filler);
  CAMLxparam1(ours);
  CAMLlocal1(array);
  struct walk w;
  if (DROMOS_HEAP_VARIANT || !walk(&w, 0, mark, ours)) CAMLreturn(Val_none);
  uintnat room = atomic_load(&w.found) + 256;
  array = caml_alloc_shr(room, 0);
  for (uintnat i = 0; i < room; i++) Field(array, i) = Val_unit;
  for (uintnat i = 0; i < room; i++) caml_modify(&Field(array, i), filler);
  if (!walk(&w, array, mark, ours) || atomic_load(&w.found) > room)
    CAMLreturn(Val_none);
  CAMLreturn(caml_alloc_some(array));
}

value dromos_weak_arrays(value mark, value filler)
{
  return collected(mark, 0, filler);
}

value dromos_finalised(value ours)
{
  return collected(Val_unit, ours, Val_unit);
}
