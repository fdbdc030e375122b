/* The inbox of grey objects that domains hand to the marker, and the decision that
   marking is over.

   A domain keeps its grey stack until it answers MARK (cycle.c). A value read from a
   weak pointer goes to the inbox at once: perhaps no traced object leads to the value.
   Otherwise all domains could answer with empty stacks, and the marker would miss the
   value. */

#include "hh.h"
_Atomic int hh_decided;

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static greys inbox;
static _Atomic int brought; /* objects have arrived in or since this round of MARK */

void hh_flush(greys *g) {
  if (g->count == 0) return;
  pthread_mutex_lock(&lock);
  hh_append(&inbox, g);
  pthread_mutex_unlock(&lock);
  atomic_store(&brought, 1);
}

void hh_take_inbox(greys *to) {
  pthread_mutex_lock(&lock);
  hh_append(to, &inbox);
  pthread_mutex_unlock(&lock);
}

/* Begins a round of MARK. A domain that ended may have left objects since the inbox
   was emptied. */
void hh_begin_round(void) {
  pthread_mutex_lock(&lock);
  atomic_store(&brought, inbox.count > 0);
  pthread_mutex_unlock(&lock);
}

int hh_brought(void) { return brought; }

void hh_clear_inbox(void) {
  pthread_mutex_lock(&lock);
  hh_give_memory_back(&inbox);
  hh_decided = 0;
  pthread_mutex_unlock(&lock);
}

/* Decides that marking is over, if no object has arrived. All domains have answered,
   and the marker had nothing left when the round began. */
int hh_decide(void) {
  pthread_mutex_lock(&lock);
  int quiet = !brought && inbox.count == 0;
  hh_decided = quiet;
  pthread_mutex_unlock(&lock);
  return quiet;
}

/* Shades a value read from a weak pointer; 0 if the object was decided to be dead. A
   domain that does not watch needs no care: either it has not answered SYNC1 and will
   be scanned, or it has answered END. */
int hh_revive(value v) {
  chunk *c = hh_shared_chunk(v);
  if (!c || !hh_watches(hh_self) || hh_is_marked(c, v)) return 1;
  pthread_mutex_lock(&lock);
  int open = !hh_decided;
  if (open) {
    hh_shade(&inbox, v);
    atomic_store(&brought, 1);
  }
  pthread_mutex_unlock(&lock);
  return open;
}
