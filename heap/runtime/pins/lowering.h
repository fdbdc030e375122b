/* Lowering: making a pin less deep, so that it lasts until a later join or
   permanently.

   pin.c calls [hh_keep_out] before it lowers; stores that depend on depths call
   [hh_announce] and [hh_stored] (pin.h). A store may call [hh_keep_out] in its middle:
   the function first takes the announcement back. No function here writes a depth:
   pin.c and depth.c do. */

#ifndef HH_LOWERING_H
#define HH_LOWERING_H

void hh_init_lowering(void), hh_keep_out(domain *);
void hh_announce_later(domain *), hh_has_lowered(domain *);
extern _Atomic int hh_lowering;
extern int hh_fences_all;
void hh_note_lowered(heap *), hh_merge_lowered(heap *to, heap *from);

#endif
