/* Custom blocks: finalisers, and the memory that custom blocks hold outside the heap.

   Collections call [hh_collect_new_customs] and [hh_sweep_customs]; sweeps call
   [hh_drop_customs]. A finaliser of a custom block is C code that touches no OCaml
   heap, so it runs during the collection. */

#ifndef HH_CUSTOM_H
#define HH_CUSTOM_H

void hh_sweep_customs(heap *, scope), hh_collect_new_customs(domain *);
void hh_drop_customs(heap *, int (*dead)(value)); /* finalises the dead blocks */
void hh_rehome_customs(heap *); /* call after global collections */

#endif
