/* Stores: what OCaml's compiler calls where a pointer is written into an object
   that may be old.

   Four cases, by where the field lies:
   - in a young chunk of our own, not pinned: nothing to do. This is the fast path;
   - in an old object of our own, not pinned: if the value is young and the old one
     was not, the field is remembered, for the next young collection;
   - in a static one, a module's variable, while there is one domain: nothing, as all
     of these are roots;
   - else others may read it (frozen, pinned, foreign, static): the value is
     published before it is stored.

   The store is a release, so that whoever reads the pointer sees the object. The
   fence before it orders it after earlier loads, as OCaml's memory model asks
   (Dolan et al., "Bounding data races in space and time", PLDI 2018). */

#include "hh.h"

static inline int young_of(value v, heap *leaf) {
  chunk *c;
  return Is_block(v) && (c = chunk_of(v)) && c->heap == leaf && c->young &&
         !hh_pinned(c, v);
}

/* [old]: what the field holds until now; an immediate if that is unknown. */
static __attribute__((noinline)) void slow(value *field, chunk *c, value old,
                                           value v) {
  domain *d = hh_self;
  if (!chunk_of(v)) return;
  int private = c ? c->heap == d->leaf && !hh_pinned(c, (value)field)
                  : caml_domain_alone();
  if (!private)
    hh_publish(v);
  else if (c && !c->young && young_of(v, d->leaf) && !young_of(old, d->leaf))
    hh_push(&d->leaf->remembered, field);
}

static inline void before(value *field, value old, value v) {
  if (Is_long(v)) return;
  chunk *c = chunk_of((value)field);
  if (c && c->heap == hh_self->leaf && c->young && !c->pin) return;
  slow(field, c, old, v);
}

void caml_modify(volatile value *field, value v) {
  before((value *)field, *field, v);
  atomic_thread_fence(memory_order_acquire);
  atomic_store_explicit(Op_atomic_val((value)field), v, memory_order_release);
}

void caml_initialize(volatile value *field, value v) {
  before((value *)field, Val_unit, v);
  *field = v;
}

/* What was there before does not matter to whom it is not known: the field may be
   remembered twice. */
int caml_atomic_cas_field(value object, intnat i, value expected, value v) {
  before((value *)&Field(object, i), Val_unit, v);
  return atomic_compare_exchange_strong(&Op_atomic_val(object)[i], &expected, v);
}

value caml_atomic_load(value r) {
  return atomic_load(Op_atomic_val(r));
}

value caml_atomic_exchange(value r, value v) {
  before(Op_val(r), Val_unit, v);
  return atomic_exchange(Op_atomic_val(r), v);
}

value caml_atomic_cas(value r, value expected, value v) {
  return Val_bool(caml_atomic_cas_field(r, 0, expected, v));
}

value caml_atomic_fetch_add(value r, value i) {
  return atomic_fetch_add(Op_atomic_val(r), 2 * Long_val(i));
}

void caml_set_fields(value object, value v) {
  for (mlsize_t i = 0; i < Wosize_val(object); i++) caml_modify(&Field(object, i), v);
}

/* Stock's fill without [caml_modify], knowing its own heaps; the build makes them
   weak, so that these are linked. */
value caml_uniform_array_fill(value array, value from, value length, value v) {
  intnat start = Long_val(from), n = Long_val(length);
  for (intnat i = 0; i < n; i++) caml_modify(&Field(array, start + i), v);
  return Val_unit;
}

value caml_array_fill(value array, value from, value length, value v) {
  if (Tag_val(array) != Double_array_tag)
    return caml_uniform_array_fill(array, from, length, v);
  double x = Double_val(v);
  for (intnat i = Long_val(from), n = i + Long_val(length); i < n; i++)
    Store_double_flat_field(array, i, x);
  return Val_unit;
}
