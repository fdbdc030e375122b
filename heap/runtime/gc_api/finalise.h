/* Gc.finalise and Gc.finalise_last.

   Stock's stubs register and call functions here; collections call the [hh_take_..]
   functions. No function of a program is called during a collection. */

#ifndef HH_FINALISE_H
#define HH_FINALISE_H

void hh_note_stray_finals(domain *, heap *);
void hh_scan_finals(domain *, heap *, scanning_action, scope);
void hh_take_dead(heap *), hh_take_dead_last(heap *), hh_take_young_dead_last(heap *);
void hh_finals_are_old(heap *);
void hh_take_unmarked(heap *, values *revived), hh_take_unmarked_last(heap *);
void hh_take_swept_last(heap *, int (*dead)(value));
void hh_scan_todo(domain *, heap *, scanning_action);
heap *hh_heap_with_todo(domain *); /* among the domain's heaps; or NULL */
void hh_give_todo(domain *, heap *); /* for a heap without a running task */

#endif
