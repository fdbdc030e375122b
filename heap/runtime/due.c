/* When the concurrent collection begins, and when the world is stopped.

   A cycle is due when as much has been shared as the last one met. The safety net is due
   when all heaps together have doubled since the world was stopped last; while a cycle marks,
   when they have doubled twice. */

#include "hh.h"

size_t hh_least_global = (size_t)64 << 20;
size_t hh_least_shared = (size_t)16 << 20;

static size_t at_least(size_t bytes, size_t least) { return bytes < least ? least : bytes; }

/* {1 What is shared} */

static size_t pinned_then, frozen_then; /* when the last cycle began */
static size_t met_then, met;        /* before it, and in it */

/* What is pinned until a join counts a quarter: it may be private again soon. */
static size_t pinned_ever(void) {
  size_t for_good = hh_total(for_good), stored = hh_total(entangled);
  return for_good + (stored > for_good ? (stored - for_good) / 4 : 0);
}

static void note_shared(void) {
  pinned_then = pinned_ever();
  frozen_then = hh_bytes(&hh_frozen);
}

/* What only a cycle, or a stopped world, can free. */
size_t hh_shared_since(void) {
  size_t frozen = hh_bytes(&hh_frozen), pinned = pinned_ever();
  return (pinned > pinned_then ? pinned - pinned_then : 0) +
         (frozen > frozen_then ? frozen - frozen_then : 0);
}

/* All has been collected otherwise: by who is alone, or has stopped the others. */
void hh_note_shared_lives(void) {
  note_shared();
  met = hh_bytes(&hh_frozen) + hh_note_most_pinned();
}

/* So much of it was alive when that was collected in full. A cycle would have to meet it
   all, and find nothing. */
void hh_note_freezes(size_t alive) {
  frozen_then += alive;
  met += alive;
}

/* {1 What is held} */

static size_t live; /* after the last stop, or a collection of the only leaf */

void hh_note_all_live(void) { live = hh_held(); }

int hh_global_due(void) {
  if (hh_stacks_due()) return 1;
  if (!hh_concurrent)
    return hh_held() > at_least(2 * live, hh_least_global) ||
           hh_shared_since() > at_least(live, hh_least_shared);
  /* A cycle is let end: who answers to it late would stop late too. */
  return hh_held() > (hh_marking ? 4 : 2) * at_least(live, hh_least_global);
}

/* {1 Cycles} */

int hh_cycle_due(void) {
  return !hh_alone() && hh_shared_since() > at_least(met, hh_least_shared);
}

void hh_note_cycle_begins(void) {
  note_shared();
  met_then = hh_total(met);
}

void hh_note_cycle_ends(void) {
  size_t frozen = hh_bytes(&hh_frozen);
  if (frozen < frozen_then) frozen_then = frozen; /* the rest has gone to a leaf */
  met = hh_total(met) - met_then;
}
