/* What C code may ask the runtime of leaf heaps. On OCaml's own runtime neither function
   is there: declare them weak, and look whether they are (lib/stubs.c does).

   Call them with the runtime lock held. Bytes, nanoseconds and numbers since the
   program began; what other domains did in the last moment may be missing. */

#ifndef DROMOS_HEAP_H
#define DROMOS_HEAP_H

#include <stddef.h>
#include <stdint.h>

typedef struct { uint64_t count, ns, longest_ns; } dromos_heap_pauses;

/* lib/dromos_heap.ml reads it as an array, in this order. */
typedef struct {
  dromos_heap_pauses young, full, global, scans, slices;
  uint64_t lived_ns; /* by all domains together */
  uint64_t allocated, promoted, copied, held, most_held;
  uint64_t entangled, publications, handed, pinned, most_pinned;
  uint64_t heaps, splits, merges, cycles;
} dromos_heap_figures;

void dromos_heap_read(dromos_heap_figures *);

/* In words, as snprintf does. */
int dromos_heap_report(char *to, size_t room);

#endif
