/* Local heaps for OCaml 5.3: the declarations that the files of this folder share.

   Each domain, and each stolen task, allocates in a heap of its own and collects that
   heap alone: the local heap ([leaf]). The shared heap ([hh_frozen]) belongs to all
   domains; a concurrent cycle collects the shared heap (cycle.c). Before a store lets
   other domains reach an object, the store publishes the object: the object and all
   objects reachable from it are pinned, and a pinned object does not move. README.md
   has the design and its invariants; each file has the invariants that it keeps.

   A file X.c of this folder has a header X.h, with the functions for other files and the
   allowed callers. A file that only defines functions of stock's runtime, by stock's
   names, has no header. The folders are the groups of README.md.

   Callers: unless a comment says otherwise, the caller holds the domain's lock and passes
   the domain of the lock, or a heap of this domain.

   Words used below: a shared object lies in the shared heap or is pinned. A cycle is
   one concurrent collection of the shared objects. The safety net is the collection
   that stops all domains (global.c). An object is marked when the present
   cycle has found the object alive. A heap is set apart when its chunks are pinned as a whole
   (a bulk pin, bulk_pin.c). A pin expires when its fork has joined: the object is private
   again. */

#ifndef HH_H
#define HH_H

#define CAML_INTERNALS
#define CAML_NAME_SPACE
#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <caml/alloc.h>
#include <caml/callback.h>
#include <caml/custom.h>
#include <caml/domain.h>
#include <caml/domain_state.h>
#include <caml/fail.h>
#include <caml/fiber.h>
#include <caml/major_gc.h>
#include <caml/memory.h>
#include <caml/misc.h>
#include <caml/mlvalues.h>
#include <caml/roots.h>
#include <caml/shared_heap.h>
#include <caml/signals.h>
#include <caml/startup_aux.h>

#include "space/bits.h"

/* The compiler inlines an ALIKE function, and specialises each copy for known arguments. */
#define ALIKE static inline __attribute__((always_inline))

/* Variables of stock's runtime that no header of stock declares. */
extern uintnat caml_percent_free, caml_fiber_wsz;
extern uintnat caml_custom_minor_ratio, caml_custom_minor_max_bsz;

/* {1 Vectors} A vector has elements of any type, in C memory; a full vector doubles its
   room. */

#define HH_VECTOR(t) struct { t *at; size_t count, room; }
#define hh_push(v, x)                                                     \
  do {                                                                    \
    if ((v)->count == (v)->room)                                          \
      (v)->at = hh_grow((v)->at, &(v)->room, sizeof *(v)->at);            \
    (v)->at[(v)->count++] = (x);                                          \
  } while (0)
#define hh_append(v, w)                                                   \
  do {                                                                    \
    if ((v)->count == 0) hh_exchange(v, w);                               \
    for (size_t i_ = 0; i_ < (w)->count; i_++) hh_push(v, (w)->at[i_]);   \
    (w)->count = 0;                                                       \
  } while (0)
#define hh_exchange(v, w)                                                 \
  do {                                                                    \
    __typeof__(*(v)) x_ = *(v);                                           \
    *(v) = *(w);                                                          \
    *(w) = x_;                                                            \
  } while (0)
#define hh_give_memory_back(v)                                            \
  do {                                                                    \
    free((v)->at);                                                        \
    (v)->at = NULL;                                                       \
    (v)->count = (v)->room = 0;                                           \
  } while (0)
/* [hh_grow] ends the program if the system refuses memory. */
void *hh_grow(void *, size_t *room, size_t element);

/* Headers of the records, each with the headers that its record needs. */

#include "space/chunk.h"
#include "space/heap.h"
#include "tasks/domain.h"

/* One header for each file. */

#include "space/address.h"
#include "space/census.h"
#include "space/pool.h"

#include "pins/bulk_pin.h"
#include "pins/depth.h"
#include "pins/lowering.h"
#include "pins/publish.h"
#include "pins/pin.h"

#include "tasks/task.h"
#include "tasks/records.h"
#include "tasks/spawn.h"
#include "tasks/stack.h"
#include "tasks/stop.h"
#include "tasks/task_roots.h"

#include "local/leaf.h"
#include "local/allocate.h"
#include "local/check.h"
#include "local/trace.h"

#include "shared/cycle.h"
#include "shared/mark_bits.h"
#include "shared/check_cycle.h"
#include "shared/triggers.h"
#include "shared/global.h"
#include "shared/grey_inbox.h"
#include "shared/mark.h"
#include "shared/pacing.h"
#include "shared/scan.h"
#include "shared/sweep.h"
#include "shared/weak_and_final.h"

#include "gc_api/custom.h"
#include "gc_api/ephemeron.h"
#include "gc_api/figures.h"
#include "gc_api/finalise.h"
#include "gc_api/objects.h"
#include "gc_api/start.h"

#endif
