/* Weak arrays and ephemerons: the operations of `Weak` and `Ephemeron`.

   Programs call the functions below, by stock's names; ephemeron.c finds the dead
   keys. No function here traces. The only clearing here comes before a read of the
   data, after a cycle's decision: dead keys are cleared, and the data with them.

   An ephemeron is an abstract block of a colour of its own: a word for the runtime,
   the data, the keys. A weak array is an ephemeron without data. The domain's leaf
   lists each ephemeron, new ones among the young. An old ephemeron that has been set
   since the last collection is listed among the young too.

   Leaf collections find dead private keys, and cycles dead shared keys. A program must
   not read a key that is about to be freed. Therefore, while a cycle marks, each read
   reports the value to the cycle; after the cycle's decision (cycle.c) an unmarked
   value reads as none. */

#include "hh.h"
#include "gc_api/ephemeron_layout.h"
#include <string.h>

static header_t none_block[2] = {
    Make_header(1, Abstract_tag, NOT_MARKABLE), 0};
value caml_ephe_none = (value)&none_block[1];

/* {1 Making and changing} */

value caml_ephe_create(value length) {
  mlsize_t n = (mlsize_t)Long_val(length) + FIRST;
  if (Long_val(length) < 0 || n > Max_wosize)
    caml_invalid_argument("Weak.create");
  hh_weak_or_final = 1;
  value e = caml_alloc_shr(n, Abstract_tag);
  *Hp_val(e) = Hd_with_color(Hd_val(e), EPHEMERON_COLOUR);
  noted(e) = NEW;
  for (mlsize_t i = 1; i < n; i++) Field(e, i) = caml_ephe_none;
  hh_push(&hh_self->leaf->young_ephemerons, e);
  return caml_process_pending_actions_with_root(e);
}

value caml_weak_create(value length) { return caml_ephe_create(length); }

/* Sets a key or the data. If [e] is shared, [v] is published first, since every domain
   that reaches [e] can reach [v]. An old [e] is listed among the young ephemerons,
   where the next collection looks for a young [v]. */
static void set(value e, mlsize_t i, value v) {
  domain *d = hh_self;
  chunk *c = chunk_of(e), *of = Is_block(v) ? chunk_of(v) : NULL;
  if (!c || c->heap != d->leaf || hh_pinned(c, e)) {
    if (of) hh_publish((value)&Field(e, i), c, v, of);
  } else if (noted(e) == OLD) {
    noted(e) = CHANGED;
    hh_push(&d->leaf->young_ephemerons, e);
  }
  atomic_store_explicit(&Op_atomic_val(e)[i], v, memory_order_release);
  hh_stored(d);
}

static void check(value e, value n, const char *what) {
  if (Long_val(n) < 0 || Long_val(n) >= (intnat)Wosize_val(e) - FIRST)
    caml_invalid_argument(what);
}

value caml_ephe_set_key(value e, value n, value v) {
  check(e, n, "Weak.set");
  set(e, FIRST + Long_val(n), v);
  return Val_unit;
}

value caml_ephe_unset_key(value e, value n) {
  check(e, n, "Weak.set");
  set(e, FIRST + Long_val(n), caml_ephe_none);
  return Val_unit;
}

value caml_ephe_set_key_option(value e, value n, value v) {
  return Is_block(v) ? caml_ephe_set_key(e, n, Field(v, 0))
                     : caml_ephe_unset_key(e, n);
}

value caml_weak_set(value e, value n, value v) {
  return caml_ephe_set_key_option(e, n, v);
}

value caml_ephe_set_data(value e, value v) {
  set(e, DATA, v);
  return Val_unit;
}

value caml_ephe_unset_data(value e) {
  set(e, DATA, caml_ephe_none);
  return Val_unit;
}

/* {1 Looking} */

static value option(value v) {
  if (is_none(v)) return Val_none;
  CAMLparam1(v);
  value some = caml_alloc_small(1, Tag_some);
  Field(some, 0) = v;
  CAMLreturn(some);
}

/* Reads a value. The reader gets a strong pointer, so the value lives in this cycle,
   unless the cycle has decided. If any key is dead, the data is gone too. */
static value load(value e, mlsize_t i) {
  while (hh_marking) {
    int decided = hh_decided;
    if (decided && i == DATA) hh_clear_unmarked(e);
    value v = hh_ephemeron_at(e, i);
    if (decided) return hh_is_unmarked(v) ? caml_ephe_none : v;
    if (hh_revive(v)) return v;
  }
  return hh_ephemeron_at(e, i);
}

/* 1 if the value is set. The caller gets no pointer, so the value is not kept alive. */
static value is_set(value e, mlsize_t i) {
  int decided = hh_decided;
  if (decided && i == DATA) hh_clear_unmarked(e);
  value v = hh_ephemeron_at(e, i);
  return Val_bool(!is_none(v) && !(decided && hh_is_unmarked(v)));
}

value caml_ephe_get_key(value e, value n) {
  check(e, n, "Weak.get");
  return option(load(e, FIRST + Long_val(n)));
}

value caml_weak_get(value e, value n) { return caml_ephe_get_key(e, n); }
value caml_ephe_get_data(value e) { return option(load(e, DATA)); }

/* Returns a shallow copy, or the value itself if it cannot be copied. */
static value copied(value v) {
  CAMLparam1(v);
  CAMLlocal2(copy, some);
  if (is_none(v)) CAMLreturn(Val_none);
  if (Is_block(v) && chunk_of(v) && Tag_val(v) != Custom_tag &&
      Tag_val(v) != Infix_tag && Tag_val(v) != Cont_tag) {
    mlsize_t n = Wosize_val(v);
    copy = caml_alloc(n, Tag_val(v));
    if (Tag_val(v) < No_scan_tag)
      for (mlsize_t i = 0; i < n; i++) caml_modify(&Field(copy, i), Field(v, i));
    else
      memcpy(Bytes_val(copy), String_val(v), Bsize_wsize(n));
  } else
    copy = v;
  some = caml_alloc_small(1, Tag_some);
  Field(some, 0) = copy;
  CAMLreturn(some);
}

value caml_ephe_get_key_copy(value e, value n) {
  check(e, n, "Weak.get_copy");
  return copied(load(e, FIRST + Long_val(n)));
}

value caml_weak_get_copy(value e, value n) { return caml_ephe_get_key_copy(e, n); }
value caml_ephe_get_data_copy(value e) { return copied(load(e, DATA)); }

value caml_ephe_check_key(value e, value n) {
  check(e, n, "Weak.check");
  return is_set(e, FIRST + Long_val(n));
}

value caml_weak_check(value e, value n) { return caml_ephe_check_key(e, n); }
value caml_ephe_check_data(value e) { return is_set(e, DATA); }

value caml_ephe_blit_key(value from, value i, value to, value j, value length) {
  intnat a = Long_val(i) + FIRST, b = Long_val(j) + FIRST, n = Long_val(length);
  if (n < 0 || a < FIRST || b < FIRST || a + n > (intnat)Wosize_val(from) ||
      b + n > (intnat)Wosize_val(to))
    caml_invalid_argument("Weak.blit");
  for (intnat k = 0; k < n; k++) {
    intnat at = a < b ? n - 1 - k : k;
    set(to, (mlsize_t)(b + at), load(from, (mlsize_t)(a + at)));
  }
  return Val_unit;
}

value caml_weak_blit(value from, value i, value to, value j, value n) {
  return caml_ephe_blit_key(from, i, to, j, n);
}

value caml_ephe_blit_data(value from, value to) {
  set(to, DATA, load(from, DATA));
  return Val_unit;
}
