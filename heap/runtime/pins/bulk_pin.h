/* Bulk pins ("setting apart"): pinning whole chunks for a branch.

   publish.c calls [hh_set_apart]; forks call [hh_before_fork]; joins and collections
   call [hh_put_off] and [hh_bring_back]; pin.c calls [hh_strand]. Only the owner of a
   heap sets the heap apart or brings it back, or a domain that has stopped the world. */

#ifndef HH_BULK_PIN_H
#define HH_BULK_PIN_H

void hh_before_fork(domain *); /* may collect; bulk_pin.c */
void hh_set_apart(domain *, int depth);
int hh_puts_off(heap *); /* 1 if joins leave the pins of their depth as they are */

/* bytes that only a full collection unpins; adds the estimate of the live part */
size_t hh_put_off(heap *, lived *);

/* ends every bulk pin: the heap becomes shared, or is the only one */
void hh_bring_all_back(heap *);
void hh_strand(heap *); /* a bulk-pinned continuation became reachable by every task */
extern _Atomic int hh_stranded;
void hh_bring_back(heap *); /* ends the bulk pins deeper than the heap's depth */

#endif
