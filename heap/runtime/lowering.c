/* Lowering: what was pinned until one join is pinned until a later one, or for good.

   Who writes a depth: the object's owner, when it pins it and when that expires (he
   waits for the end of whoever has it by that pin); anybody, from deeper to less deep.
   Lowering excludes stores that depend on depths, or a third task would find, through
   what has been lowered, what has not been yet, and take its depth for one of its own
   joins. Such a store announces itself in its domain; who lowers keeps out further
   ones and waits for those that are under way. Stores of what is fresh or permanent
   into what is permanent, which is nearly all of them, announce nothing. heap/model
   has the states of this, and what goes wrong without. */

#include "hh.h"
#include <linux/membarrier.h>
#include <sched.h>
#include <sys/syscall.h>
#include <unistd.h>

_Atomic int hh_lowering; /* somebody does */

static void wait_while(_Atomic int *flag) {
  for (int rounds = 0; atomic_load(flag); rounds++)
    if (rounds > 100) sched_yield();
}

/* {1 Fences}. There may be a million such stores to one lowering. So who lowers has the
   system run a fence in all threads of the program, and who stores has none; but where the
   system cannot. */

int hh_fences_all;

void hh_init_lowering(void) {
  hh_fences_all = syscall(SYS_membarrier, MEMBARRIER_CMD_REGISTER_PRIVATE_EXPEDITED, 0, 0) == 0;
}

static void fence_all(void) {
  if (hh_fences_all && syscall(SYS_membarrier, MEMBARRIER_CMD_PRIVATE_EXPEDITED, 0, 0) != 0)
    caml_fatal_error("heap: the system's membarrier fails, and did not before");
}

/* {1 Stores} */

/* It has announced itself, and somebody lowers. */
void hh_announce_later(domain *d) {
  do {
    atomic_store(&d->storing, 0);
    wait_while(&hh_lowering);
  } while (!hh_may_store(d));
}

void hh_has_lowered(domain *d) {
  d->lowers = 0;
  atomic_store(&hh_lowering, 0);
}

static void lock(void) {
  while (atomic_exchange(&hh_lowering, 1)) wait_while(&hh_lowering);
}

/* From here on only this domain stores, until [hh_stored]. */
void hh_keep_out(domain *d) {
  atomic_store(&d->storing, 0);
  lock();
  fence_all();
  each_domain(x) if (x != d) wait_while(&x->storing);
  d->lowers = 1;
}

/* The chunks of [from] are [to]'s already. Branches of [to] may lower more there. */
void hh_merge_lowered(heap *to, heap *from) {
  lock();
  hh_append(&to->lowered, &from->lowered);
  atomic_store(&hh_lowering, 0);
}

/* What others have lowered in [h]: its owner learns of it. */
void hh_note_lowered(heap *h) {
  lock();
  for (size_t i = 0; i < h->lowered.count; i++) {
    value v = h->lowered.at[i];
    chunk *c = chunk_of(v);
    int pin = hh_own_pin_of(c, v);
    if (hh_shared_pin(pin)) hh_note_pin(h, c, pin);
  }
  h->lowered.count = 0;
  atomic_store(&hh_lowering, 0);
}
