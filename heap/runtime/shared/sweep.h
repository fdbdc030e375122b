/* Sweeping: unpins the objects that a cycle (cycle.c) has found dead.

   The owner calls [hh_sweep] after its next collection; the driver calls [hh_sweep]
   for suspended tasks' heaps, and [hh_sweep_frozen] for the shared heap and the pool.
   An object is dead if it was pinned when the cycle began and is not marked. In a
   chunk with only pinned objects, a dead object becomes a hole. If much of a frozen
   chunk is dead, the chunk moves to the leaf of the driver, with the marked objects
   pinned. Sweeping moves no object, and must not run while a cycle marks, except for
   suspended tasks' heaps. */

#ifndef HH_SWEEP_H
#define HH_SWEEP_H

void hh_judge_frozen(void);
void hh_sweep(heap *), hh_sweep_frozen(domain *);

#endif
