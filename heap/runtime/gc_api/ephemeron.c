/* Ephemerons in collections and cycles: which keys are dead, and what becomes of the
   data.

   Each heap lists its ephemerons (weak.c). A young collection treats the keys and the
   data of a live ephemeron as reachable. A full collection clears the private keys
   that only ephemerons reach, with the data of these ephemerons, to a fixed point: data
   may keep keys alive. A cycle or a global collection decides about shared keys. */

#include "hh.h"
#include "gc_api/ephemeron_layout.h"

/* {1 Collections of leaves} */

static void forward_all(domain *d, value e) {
  for (mlsize_t i = 1; i < Wosize_val(e); i++)
    if (!is_none(Field(e, i))) hh_forward(d, Field(e, i), &Field(e, i));
}

static void settle(heap *h, value e) {
  if (noted(e) == NEW) hh_push(&h->old_ephemerons, e);
  noted(e) = OLD;
}

/* Scans the live young ephemerons, until a round finds no further live one: one
   ephemeron may keep another alive. */
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

/* Makes young ephemerons old; call before an object moves. */
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

/* Notes the keys and the data of an ephemeron that have come to other heaps, so that
   they will be published. */
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

/* {1 Cycles}. Other domains may set keys and data meanwhile. */

static int clear(value e, mlsize_t i, value v) {
  return atomic_compare_exchange_strong(&Op_atomic_val(e)[i], &v, caml_ephe_none);
}

void hh_clear_unmarked(value e) {
  value data = hh_ephemeron_at(e, DATA);
  int lost = hh_is_unmarked(data);
  for (mlsize_t i = FIRST; i < Wosize_val(e); i++) {
    value v = hh_ephemeron_at(e, i);
    if (hh_is_unmarked(v) && clear(e, i, v)) lost = 1;
  }
  if (lost && !is_none(data)) clear(e, DATA, data);
}

static void clear_all(values *l) {
  size_t kept = 0;
  for (size_t k = 0; k < l->count; k++) {
    value e = l->at[k];
    if (hh_is_unmarked(e)) continue;
    hh_clear_unmarked(e);
    l->at[kept++] = e;
  }
  l->count = kept;
}

void hh_clear_unmarked_ephemerons(heap *h) {
  clear_all(&h->young_ephemerons);
  clear_all(&h->old_ephemerons);
}

/* {1 Sweeps}. A sweep clears the dead fields of live ephemerons. CLEAR left the fields of
   objects with expired pins. After CLEAR a fork may have pinned such objects again, in a
   chunk with only pinned objects (bulk_pin.c). */

static void forget_dead(value e, int (*dead)(value)) {
  for (mlsize_t i = 1; i < Wosize_val(e); i++) {
    value v = hh_ephemeron_at(e, i);
    if (Is_block(v) && dead(v)) clear(e, i, v);
  }
}

static void drop(values *l, int (*dead)(value)) {
  size_t kept = 0;
  for (size_t k = 0; k < l->count; k++) {
    value e = l->at[k];
    if (dead(e)) continue;
    forget_dead(e, dead);
    l->at[kept++] = e;
  }
  l->count = kept;
}

void hh_drop_ephemerons(heap *h, int (*dead)(value)) {
  drop(&h->young_ephemerons, dead);
  drop(&h->old_ephemerons, dead);
}
