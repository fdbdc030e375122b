/* The write barrier: what OCaml code calls for a store of a pointer into an object
   that may be old.

   The file offers stock's functions ([caml_modify], [caml_initialize], the atomics and
   the fills); compiled code and C stubs call them. No store here may allocate in a
   heap, or collect.

       the field lies in ..                          the store ..
       a young chunk of the leaf, unpinned           does nothing more (the fast path)
       an old object of the leaf, unpinned or        remembers the field, if the new value
         expired                                       is young and the old was not
       a task's cell (task.c)                        does nothing more: a root of its task
       static data, while there is a single heap     does as for an old object
       any other place (frozen, pinned, foreign,     publishes the value first, as deep as
         static): other domains may read it            the object of the field is pinned

   Full collections take all module variables for roots while there is a single heap.

   The store is a release, so that a domain that reads the pointer also sees the
   object. The fence before the store orders it after earlier loads, as OCaml's memory
   model demands (Dolan et al., "Bounding data races in space and time", PLDI 2018). */

#include "hh.h"

static inline int young_of(value v, heap *leaf) {
  chunk *c;
  return Is_block(v) && (c = chunk_of(v)) && c->heap == leaf && c->young &&
         hh_unpinned(c, v);
}

static inline void remember(heap *leaf, value *field, value old, value v) {
  if (young_of(v, leaf) && !young_of(old, leaf)) hh_push(&leaf->remembered, field);
}

/* Handles a field outside the leaf, or a field of an object that has been pinned.
   [old]: the present value of the field, or an immediate if unknown. Returns 1 if the
   value was published; the caller then calls [hh_stored]. */
static __attribute__((noinline)) int slow(value *field, chunk *c, value old, value v) {
  heap *leaf = hh_self->leaf;
  chunk *of = chunk_of(v);
  if (!of) return 0;
  if (c ? c->heap == leaf && hh_pin_of(c, (value)field) == EXPIRED : hh_alone()) {
    remember(leaf, field, old, v);
    return 0;
  }
  hh_publish((value)field, c, v, of);
  return 1;
}

/* While a cycle marks (cycle.c), shades the value that a store overwrites in a shared
   object. */
static __attribute__((noinline)) void shade(value *field, value old) {
  domain *d = hh_self;
  chunk *c = chunk_of((value)field);
  if (!d->watching) return;
  if (!c || c->heap->frozen || hh_pinned(c, (value)field)) hh_shade(&d->greys, old);
}

static inline void overwritten(value *field, value old) {
  if (atomic_load_explicit(&hh_marking, memory_order_relaxed) && Is_block(old))
    shade(field, old);
}

ALIKE int before(value *field, value old, value v) {
  if (Is_long(v)) return 0;
  chunk *c = chunk_of((value)field);
  if (c) {
    heap *leaf = hh_self->leaf;
    if (c->heap == leaf && hh_unpinned(c, (value)field)) {
      if (!c->young) remember(leaf, field, old, v);
      return 0;
    }
    if (c->heap == &hh_cells) return 0;
  }
  return slow(field, c, old, v);
}

static inline void after(int published) {
  if (published) hh_stored(hh_self);
}

void caml_modify(volatile value *field, value v) {
  value old = *field;
  int published = before((value *)field, old, v);
  overwritten((value *)field, old);
  atomic_thread_fence(memory_order_acquire);
  atomic_store_explicit(Op_atomic_val((value)field), v, memory_order_release);
  after(published);
}

void caml_initialize(volatile value *field, value v) {
  int published = before((value *)field, Val_unit, v);
  *field = v;
  after(published);
}

/* Passes an immediate as the old value, which is unknown: the field may be remembered
   twice. */
int caml_atomic_cas_field(value object, intnat i, value expected, value v) {
  value *field = (value *)&Field(object, i);
  int published = before(field, Val_unit, v);
  overwritten(field, expected);
  int done =
      atomic_compare_exchange_strong(&Op_atomic_val(object)[i], &expected, v);
  after(published);
  return done;
}

value caml_atomic_load(value r) {
  return atomic_load(Op_atomic_val(r));
}

value caml_atomic_exchange(value r, value v) {
  int published = before(Op_val(r), Val_unit, v);
  value was = atomic_exchange(Op_atomic_val(r), v);
  overwritten(Op_val(r), was);
  after(published);
  return was;
}

value caml_atomic_cas(value r, value expected, value v) {
  return Val_bool(caml_atomic_cas_field(r, 0, expected, v));
}

value caml_atomic_fetch_add(value r, value i) {
  return atomic_fetch_add(Op_atomic_val(r), 2 * Long_val(i));
}

/* 1 if [v] has survived a collection, or belongs to another heap. */
value caml_obj_is_shared(value v) {
  return Val_bool(!young_of(v, hh_self->leaf));
}

void caml_set_fields(value object, value v) {
  for (mlsize_t i = 0; i < Wosize_val(object); i++) caml_modify(&Field(object, i), v);
}

/* 1 if no other domain reads the object, and no field will have to be remembered. */
static int needs_no_care(value object, value v) {
  chunk *c = chunk_of(object);
  heap *leaf = hh_self->leaf;
  return c && c->heap == leaf && !c->pin && !c->all && (c->young || !young_of(v, leaf));
}

/* Replaces stock's fills, which assume stock's heaps and store without [caml_modify].
   The build makes stock's versions weak, so that the linker takes these. */
value caml_uniform_array_fill(value array, value from, value length, value v) {
  intnat start = Long_val(from), n = Long_val(length);
  if (needs_no_care(array, v)) {
    volatile value *p = &Field(array, start);
    for (intnat i = 0; i < n; i++) p[i] = v;
    return Val_unit;
  }
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
