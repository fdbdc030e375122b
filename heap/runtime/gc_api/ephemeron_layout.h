/* The layout of an ephemeron: a word for the runtime, the data, the keys. A weak array
   is an ephemeron without data. */

#ifndef HH_EPHEMERON_LAYOUT_H
#define HH_EPHEMERON_LAYOUT_H

#include <caml/weak.h>

#define FIRST CAML_EPHE_FIRST_KEY
#define DATA CAML_EPHE_DATA_OFFSET

static inline int is_none(value v) { return v == caml_ephe_none; }

/* The word for the runtime: NEW or CHANGED if the heap lists the ephemeron as made or
   changed since the last collection. */
#define noted(e) Field(e, 0)
enum { OLD = Val_long(0), NEW = Val_long(1), CHANGED = Val_long(2) };

static inline value hh_ephemeron_at(value e, mlsize_t i) {
  return atomic_load(&Op_atomic_val(e)[i]);
}

#endif
