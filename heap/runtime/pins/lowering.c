/* Lowering: making a pin less deep, so that it lasts until a later join or
   permanently.

   The owner of an object writes the depth when the object is pinned, and when the pin
   expires, after the fork has joined. Any domain may write a less deep depth. Lowering
   must exclude stores that depend on depths. Otherwise a third task could reach,
   through an object lowered already, an object not lowered yet, and take its depth for
   the depth of one of its own joins. The exclusion:

   the storing domain              the lowering domain
       sets its [storing]              sets [hh_lowering]
       fence                           fence in all threads
       if [hh_lowering]: takes         waits until no domain has [storing] set
         [storing] back and waits      lowers
       stores; clears [storing]        clears [hh_lowering]

   Nearly all stores put a fresh or permanently pinned value into a permanently pinned
   object, and announce nothing. heap/model has the states, and shows what goes wrong
   without the exclusion. */

#include "hh.h"
#include <linux/membarrier.h>
#include <sched.h>
#include <sys/syscall.h>
#include <unistd.h>

_Atomic int hh_lowering; /* a domain lowers */

static void wait_while(_Atomic int *flag) {
  for (int rounds = 0; atomic_load(flag); rounds++)
    if (rounds > 100) sched_yield();
}

/* {1 Fences}. A program may announce a million stores for each lowering. Therefore the
   lowering domain asks the system to run a fence in all threads, and a store runs no
   fence. If the system has no such call, each announced store runs a fence. */

int hh_fences_all;

void hh_init_lowering(void) {
  hh_fences_all = syscall(SYS_membarrier, MEMBARRIER_CMD_REGISTER_PRIVATE_EXPEDITED, 0, 0) == 0;
}

static void fence_all(void) {
  if (hh_fences_all && syscall(SYS_membarrier, MEMBARRIER_CMD_PRIVATE_EXPEDITED, 0, 0) != 0)
    caml_fatal_error("heap: the system's membarrier fails, and did not before");
}

/* {1 Stores} */

/* Called after an announcement that met a lowering domain: waits, and announces again. */
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

/* From here until [hh_stored], only this domain stores. */
void hh_keep_out(domain *d) {
  atomic_store(&d->storing, 0);
  lock();
  fence_all();
  each_domain(x) if (x != d) wait_while(&x->storing);
  d->lowers = 1;
}

/* Appends the list [lowered]. The chunks of [from] belong to [to] already, and
   branches of [to] may lower more objects there meanwhile. */
void hh_merge_lowered(heap *to, heap *from) {
  lock();
  hh_append(&to->lowered, &from->lowered);
  atomic_store(&hh_lowering, 0);
}

/* Lists the chunks of [h] in which other domains have lowered objects, for the join. */
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
