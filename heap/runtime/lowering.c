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

static _Atomic int lowering; /* somebody does */

static void wait_while(_Atomic int *flag) {
  for (int rounds = 0; atomic_load(flag); rounds++)
    if (rounds > 100) sched_yield();
}

/* {1 Fences}. There may be a million such stores to one lowering. So who lowers has the
   system run a fence in all threads of the program, and who stores has none; but where the
   system cannot. */

static int fences_all;

void hh_init_lowering(void) {
  fences_all = syscall(SYS_membarrier, MEMBARRIER_CMD_REGISTER_PRIVATE_EXPEDITED, 0, 0) == 0;
}

static void fence_all(void) {
  if (fences_all && syscall(SYS_membarrier, MEMBARRIER_CMD_PRIVATE_EXPEDITED, 0, 0) != 0)
    caml_fatal_error("heap: the system's membarrier fails, and did not before");
}

static void announce(domain *d) {
  atomic_store_explicit(&d->storing, 1, memory_order_relaxed);
  if (fences_all) atomic_signal_fence(memory_order_seq_cst);
  else atomic_thread_fence(memory_order_seq_cst);
}

/* {1 Stores} */

/* Until [hh_stored]. Depths do not change from here on. */
void hh_announce(domain *d) {
  while (!d->storing && !d->lowers) {
    announce(d);
    if (!atomic_load(&lowering)) return;
    atomic_store(&d->storing, 0);
    wait_while(&lowering);
  }
}

void hh_stored(domain *d) {
  if (d->lowers) {
    d->lowers = 0;
    atomic_store(&lowering, 0);
  } else if (d->storing)
    atomic_store_explicit(&d->storing, 0, memory_order_release);
}

static void lock(void) {
  while (atomic_exchange(&lowering, 1)) wait_while(&lowering);
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
  atomic_store(&lowering, 0);
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
  atomic_store(&lowering, 0);
}
