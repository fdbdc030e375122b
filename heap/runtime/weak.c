/* Weak arrays and ephemerons.

   An ephemeron is an abstract block of its own colour: a word of ours, its data, its
   keys. A weak array is one without data. Each is noted in its domain's leaf, new
   ones among the young; old ones in which something was set since the last
   collection are noted there too.

   A young collection takes what they hold for reachable if they are; a full one
   clears keys that nobody else reaches, and the data with them (to a fixed point:
   data may hold keys alive). One that others can reach holds its keys strongly, as
   all that is published is pinned, until the world is stopped for a collection. */

#include "hh.h"
#include <caml/weak.h>
#include <string.h>

static header_t none_block[2] = {
    Make_header(1, Abstract_tag, NOT_MARKABLE), 0};
value caml_ephe_none = (value)&none_block[1];

#define FIRST CAML_EPHE_FIRST_KEY
#define DATA CAML_EPHE_DATA_OFFSET
#define key_of(e, n) Field(e, FIRST + Long_val(n))
static int is_none(value v) { return v == caml_ephe_none; }

/* The word of ours. */
#define noted(e) Field(e, 0)
enum { OLD = Val_long(0), NEW = Val_long(1), CHANGED = Val_long(2) };

/* {1 Making and changing} */

value caml_ephe_create(value length) {
  mlsize_t n = (mlsize_t)Long_val(length) + FIRST;
  if (Long_val(length) < 0 || n > Max_wosize)
    caml_invalid_argument("Weak.create");
  value e = caml_alloc_shr(n, Abstract_tag);
  *Hp_val(e) = Hd_with_color(Hd_val(e), EPHEMERON_COLOUR);
  noted(e) = NEW;
  for (mlsize_t i = 1; i < n; i++) Field(e, i) = caml_ephe_none;
  hh_push(&hh_self->leaf->young_ephemerons, e);
  return caml_process_pending_actions_with_root(e);
}

value caml_weak_create(value length) { return caml_ephe_create(length); }

/* Whoever else can reach [e] can reach [v] then; a young [v] in an old [e] is looked
   for there. */
static void set(value e, mlsize_t i, value v) {
  domain *d = hh_self;
  chunk *c = chunk_of(e);
  if (!c || c->heap != d->leaf || hh_pinned(c, e)) {
    hh_publish((value)&Field(e, i), c, v);
    if (hh_watches(d)) hh_shade(&d->greys, Field(e, i));
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

static value load(value e, mlsize_t i) { return atomic_load(&Op_atomic_val(e)[i]); }

value caml_ephe_get_key(value e, value n) {
  check(e, n, "Weak.get");
  return option(load(e, FIRST + Long_val(n)));
}

value caml_weak_get(value e, value n) { return caml_ephe_get_key(e, n); }
value caml_ephe_get_data(value e) { return option(load(e, DATA)); }

/* A shallow copy, of what can be copied. */
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
  return Val_bool(!is_none(load(e, FIRST + Long_val(n))));
}

value caml_weak_check(value e, value n) { return caml_ephe_check_key(e, n); }
value caml_ephe_check_data(value e) { return Val_bool(!is_none(load(e, DATA))); }

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

/* {1 Collecting} */

static void forward_all(domain *d, value e) {
  for (mlsize_t i = 1; i < Wosize_val(e); i++)
    if (!is_none(Field(e, i))) hh_forward(d, Field(e, i), &Field(e, i));
}

static void settle(heap *h, value e) {
  if (noted(e) == NEW) hh_push(&h->old_ephemerons, e);
  noted(e) = OLD;
}

/* Those that live; each may make another live. */
static void scan_young(domain *d, heap *h) {
  for (int more = 1; more;) {
    more = 0;
    size_t kept = 0;
    for (size_t k = 0; k < h->young_ephemerons.count; k++) {
      value e = h->young_ephemerons.at[k];
      if (hh_dead(&e)) {
        h->young_ephemerons.at[kept++] = e;
        continue;
      }
      forward_all(d, e);
      settle(h, e);
      more = 1;
    }
    h->young_ephemerons.count = kept;
    hh_trace(d);
  }
  h->young_ephemerons.count = 0; /* the dead ones */
}

static int keys_alive(value e) {
  for (mlsize_t i = FIRST; i < Wosize_val(e); i++)
    if (!is_none(Field(e, i)) && hh_dead(&Field(e, i))) return 0;
  return 1;
}

int hh_keep_data(domain *d, heap *h) {
  int more = 0;
  for (size_t k = 0; k < h->old_ephemerons.count; k++) {
    value e = h->old_ephemerons.at[k];
    if (hh_dead(&e) || is_none(Field(e, DATA)) || !hh_dead(&Field(e, DATA)) ||
        !keys_alive(e))
      continue;
    hh_forward(d, Field(e, DATA), &Field(e, DATA));
    more = 1;
  }
  hh_trace(d);
  return more;
}

/* Before anything moves. */
void hh_settle_ephemerons(heap *h) {
  for (size_t k = 0; k < h->young_ephemerons.count; k++)
    settle(h, h->young_ephemerons.at[k]);
  h->young_ephemerons.count = 0;
}

void hh_scan_ephemerons(domain *d, heap *h, scope scope) {
  if (scope == YOUNG_ONLY)
    scan_young(d, h);
  else
    while (hh_keep_data(d, h)) {}
}

static void clear_dead(value e) {
  int lost = 0;
  for (mlsize_t i = FIRST; i < Wosize_val(e); i++)
    if (!is_none(Field(e, i)) && hh_dead(&Field(e, i))) {
      Field(e, i) = caml_ephe_none;
      lost = 1;
    }
  if (lost || (!is_none(Field(e, DATA)) && hh_dead(&Field(e, DATA))))
    Field(e, DATA) = caml_ephe_none;
}

void hh_clear_ephemerons(heap *h) {
  size_t kept = 0;
  for (size_t k = 0; k < h->old_ephemerons.count; k++) {
    value e = h->old_ephemerons.at[k];
    if (hh_dead(&e)) continue;
    clear_dead(e);
    h->old_ephemerons.at[kept++] = e;
  }
  h->old_ephemerons.count = kept;
}

/* As of custom blocks. What an ephemeron holds may be another's now. */
static void note_fields(domain *d, heap *home, value e) {
  for (mlsize_t i = 1; i < Wosize_val(e); i++)
    if (Is_block(Field(e, i))) hh_note(d, Field(e, i), home);
}

void hh_rehome_ephemerons(domain *d, heap *h) {
  size_t kept = 0;
  for (size_t k = 0; k < h->old_ephemerons.count; k++) {
    value e = h->old_ephemerons.at[k];
    heap *home = chunk_of(e)->heap;
    note_fields(d, home, e);
    if (home == h) h->old_ephemerons.at[kept++] = e;
    else hh_push(&home->old_ephemerons, e);
  }
  h->old_ephemerons.count = kept;
}
