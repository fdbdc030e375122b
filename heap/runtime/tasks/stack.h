/* Stacks of fibers that will never be resumed.

   Stock's fiber.c allocates through [hh_fiber_alloc] and [hh_fiber_free] and scans
   through [caml_scan_stack], by the build's renaming. Collections that see all heaps
   call [hh_note_stacks] and [hh_free_dead_stacks]; no other collection may free a
   stack. */

#ifndef HH_STACK_H
#define HH_STACK_H

void hh_note_stacks(void), hh_free_dead_stacks(void);
int hh_stacks_due(void); /* the bytes of all stacks have doubled */

/* used bytes of the current fiber's stack and of its parents */
size_t hh_stack_bytes(caml_domain_state *);

#endif
