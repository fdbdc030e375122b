/* Finalisers and weak pointers in a cycle (cycle.c).

   FINALISE    all reachable objects are marked. Each heap takes the functions of
               Gc.finalise whose values are unmarked. The values live once more,
               with all objects that they reach, so marking continues.
   decide      marking is over again: unmarked objects are dead (grey_inbox.c).
   CLEAR       each heap clears its weak pointers to dead objects, and takes the
               functions of Gc.finalise_last.

   A pointer read from a weak pointer is a strong pointer. A domain that reads a weak
   pointer to an unmarked object marks the object, under a lock (grey_inbox.c). The
   decision holds the same lock, and is made only if no such read has come since the
   last round of answers began: then no grey stack has an object to be traced. From the
   decision until all weak pointers are cleared, a weak pointer to an unmarked object
   reads as none. weak.c shades only values that are read: a pointer overwritten in an
   ephemeron was weak, and kept no object alive.

   Each heap is processed once in FINALISE and once in CLEAR: by the domain that has the
   heap, by the driver while the heap's task is suspended, or by a domain
   that resumes or joins the task first. */

#include "hh.h"

_Atomic int hh_weak_or_final; /* an ephemeron or a finaliser exists, or existed */

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static values revived; /* values revived by finalisers, still to be shaded */

static void take_unmarked(heap *h) {
  pthread_mutex_lock(&lock);
  hh_take_unmarked(h, &revived);
  pthread_mutex_unlock(&lock);
}

static void clear_unmarked(heap *h) {
  hh_clear_unmarked_ephemerons(h);
  hh_take_unmarked_last(h);
}

/* Processes the finalisers and weak pointers of a heap in FINALISE or CLEAR. The stage
   cannot end meanwhile, since it waits for this caller. */
void hh_process_weak(heap *h) {
  size_t stage = hh_stage;
  if (h->weak_processed == stage) return;
  switch (hh_stage_of(stage)) {
  case FINALISE: take_unmarked(h); break;
  case CLEAR: clear_unmarked(h); break;
  default: return;
  }
  h->weak_processed = stage;
}

static void tend_one(domain *x, heap *h) { (void)x; hh_process_weak(h); }

/* The caller is [x] or holds its lock. */
void hh_process_weak_of(domain *x) {
  hh_each_heap_of(x, tend_one);
  if (hh_callbacks_wait(x)) x->state->action_pending = 1;
}

/* Processes the heaps that no domain has. The functions that ended domains have left
   will be called by [d]. */
void hh_process_weak_rest(domain *d) {
  hh_process_weak_suspended(d);
  pthread_mutex_lock(&hh_frozen_lock);
  hh_process_weak(&hh_frozen);
  hh_append(&d->leaf->todo, &hh_frozen.todo);
  pthread_mutex_unlock(&hh_frozen_lock);
}

/* Shades the revived values; 1 if there were some. All unmarked values are taken
   before the first is marked, so that all functions of a value are taken, in whatever
   heaps they were attached. */
int hh_shade_revived(greys *g) {
  for (size_t i = 0; i < revived.count; i++) hh_shade(g, revived.at[i]);
  int some = revived.count > 0;
  revived.count = 0;
  return some;
}

void hh_forget_revived(void) { revived.count = 0; }
