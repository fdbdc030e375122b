/* What a cycle (cycle.c) decides of what is told of objects: finalisers and weak pointers.

   When all has been marked that can be reached, FINAL comes: whoever has a heap takes from
   its list the functions of Gc.finalise whose values were not met. These values live once
   more, with all they reach, so marking goes on. When that has ended too it is decided
   which objects are dead, and CLEAR comes: weak pointers to them are cleared, and the
   functions of Gc.finalise_last taken. Nothing is freed before all have answered.

   A pointer that is read from a weak one is a strong one from then on. Who reads one to
   what was not met marks that, under a lock (inbox.c); the same lock is held to decide, and
   then no read has been since the last round of answers began. From the decision till all
   weak pointers are cleared what was not met reads as none. So no buffer has anything that
   was met and is still to be traced when it is decided: weak.c shades nothing else, and
   shades no pointer that is overwritten in an ephemeron, since nobody traces it.

   A heap is tended once in either stage: by the domain that has it, by the driver while its
   task is suspended, or by who resumes or joins that first. */

#include "hh.h"

_Atomic int hh_told; /* there has been an ephemeron, or a finaliser */

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static values revived; /* by finalisers; still to be shaded */

static void take_unmet(heap *h) {
  pthread_mutex_lock(&lock);
  hh_take_unmet(h, &revived);
  pthread_mutex_unlock(&lock);
}

static void clear_unmet(heap *h) {
  hh_clear_unmet_ephemerons(h);
  hh_take_unmet_last(h);
}

/* The stage does not end meanwhile: it waits for this. */
void hh_tend(heap *h) {
  size_t stage = hh_stage;
  if (h->tended == stage) return;
  switch (hh_stage_of(stage)) {
  case FINAL: take_unmet(h); break;
  case CLEAR: clear_unmet(h); break;
  default: return;
  }
  h->tended = stage;
}

static void tend_one(domain *x, heap *h) { (void)x; hh_tend(h); }

/* By [x], or who holds its lock. */
void hh_tend_all_of(domain *x) {
  hh_each_heap_of(x, tend_one);
  if (hh_callbacks_wait(x)) x->state->action_pending = 1;
}

/* What no domain has. Functions that ended domains have left are called here. */
void hh_tend_the_rest(domain *d) {
  hh_tend_suspended(d);
  pthread_mutex_lock(&hh_frozen_lock);
  hh_tend(&hh_frozen);
  hh_append(&d->leaf->todo, &hh_frozen.todo);
  pthread_mutex_unlock(&hh_frozen_lock);
}

/* All values that were not met are taken before any of them is marked, so that each finds
   its functions, wherever they were attached. 1 if there was some. */
int hh_shade_revived(greys *g) {
  for (size_t i = 0; i < revived.count; i++) hh_shade(g, revived.at[i]);
  int some = revived.count > 0;
  revived.count = 0;
  return some;
}

void hh_forget_revived(void) { revived.count = 0; }
