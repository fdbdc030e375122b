/* What domains have met and hand over to who marks, and the end of that.

   A domain keeps what it shades for itself until it answers FLUSH (cycle.c). What was read
   from a weak pointer it hands over at once: nothing that is traced need lead there, so
   it would not be missed when all have answered and brought nothing. */

#include "seen.h"

_Atomic int hh_decided;

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static greys inbox;
static _Atomic int brought; /* in this round of FLUSH, or since */

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

/* A domain that ended may have brought some since the inbox was emptied. */
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

/* All have answered, and nothing was left to trace when they were asked. */
int hh_decide(void) {
  pthread_mutex_lock(&lock);
  int quiet = !brought && inbox.count == 0;
  hh_decided = quiet;
  pthread_mutex_unlock(&lock);
  return quiet;
}

/* Who does not watch has not greeted, and will be scanned, or has seen the end. */
int hh_revive(value v) {
  chunk *c = hh_shared_chunk(v);
  if (!c || !hh_watches(hh_self) || hh_met(c, v)) return 1;
  pthread_mutex_lock(&lock);
  int open = !hh_decided;
  if (open) {
    hh_shade(&inbox, v);
    atomic_store(&brought, 1);
  }
  pthread_mutex_unlock(&lock);
  return open;
}
