/* The start of the runtime, and the settings from the environment. Stock's startup
   calls [caml_init_gc]; no heap may be used before. */

#define _GNU_SOURCE
#include <sched.h>

#include "hh.h"
#include <caml/frame_descriptors.h>
#include <caml/startup_aux.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

atomic_uintnat caml_max_stack_wsize;
uintnat caml_fiber_wsz, caml_percent_free;

/* The number of processors that the calling thread may run on. A machine may have more
   processors than the set has room for: then all count. */
int hh_processors(void) {
  cpu_set_t set;
  if (sched_getaffinity(0, sizeof set, &set) == 0) return CPU_COUNT(&set);
  long n = sysconf(_SC_NPROCESSORS_ONLN);
  return n < 1 ? 1 : (int)n;
}

/* DROMOS_HEAP, like OCAMLRUNPARAM, is a list of letters with values in bytes; k, M or
   G may follow a value.

       v    report at exit
       n=   the nursery
       l=   no full collection of a leaf below this size
       g=   no global collection below this size
       s=   no concurrent cycle until so much has been shared
       w    no cycles: shared objects are collected with the world stopped
       c    verify the heap after collections */
static size_t bytes_of(const char **p) {
  char *end;
  size_t n = strtoull(*p, &end, 10);
  int shift = *end == 'k' ? 10 : *end == 'M' ? 20 : *end == 'G' ? 30 : 0;
  *p = end + (shift > 0);
  return n << shift;
}

static void parse(const char *p) {
  while (p && *p) {
    char letter = *p++;
    size_t n = 0;
    if (*p == '=') { p++; n = bytes_of(&p); }
    switch (letter) {
    case 'v': hh_reporting = 1; break;
    case 'c': hh_checking = 1; break;
    case 'w': hh_concurrent = 0; break;
    case 'n': hh_nursery_bytes = n < 4096 ? 4096 : n; break;
    case 'l': hh_least_old = n; break;
    case 'g': hh_least_global = n; break;
    case 's': hh_least_shared = n; break;
    case ',': break;
    default:
      fprintf(stderr, "DROMOS_HEAP: `%c' is none of v, c, w, n=, l=, g=, s=\n", letter);
      return;
    }
  }
}

void caml_init_gc(void) {
  caml_max_stack_wsize = caml_params->init_max_stack_wsz;
  caml_fiber_wsz = (Stack_threshold * 2) / sizeof(value);
  caml_percent_free = caml_params->init_percent_free;
  caml_custom_major_ratio = caml_params->init_custom_major_ratio;
  caml_custom_minor_ratio = caml_params->init_custom_minor_ratio;
  caml_custom_minor_max_bsz = caml_params->init_custom_minor_max_bsz;
  hh_nursery_bytes = Bsize_wsize(caml_params->init_minor_heap_wsz);
  parse(getenv("DROMOS_HEAP"));
  hh_init_space();
  hh_init_lowering();
  caml_init_frame_descriptors();
  hh_first_domain();
  hh_init_figures();
}
