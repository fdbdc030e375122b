/* The interface of the heap runtime for C code. OCaml's own runtime has neither
   function: declare both weak, and test their addresses before a call (lib/stubs.c
   does).

   Call with the runtime lock held. Numbers count bytes, nanoseconds or events since
   the program began. Very recent changes by other domains may be missing. */

#ifndef DROMOS_HEAP_H
#define DROMOS_HEAP_H

#include <stddef.h>
#include <stdint.h>

typedef struct { uint64_t count, ns, longest_ns; } dromos_heap_pauses;

/* lib/dromos_heap.ml reads the struct as an array, in this order. */
typedef struct {
  dromos_heap_pauses young, full, global, scans, slices;
  uint64_t lived_ns; /* the sum over all domains */
  uint64_t allocated, promoted, copied, held, most_held;
  uint64_t entangled, publications, handed, pinned, most_pinned;
  uint64_t heaps, splits, merges, cycles;
} dromos_heap_figures;

void dromos_heap_read(dromos_heap_figures *);

/* Writes the figures as text; returns a length like snprintf. */
int dromos_heap_report(char *to, size_t room);

#endif
