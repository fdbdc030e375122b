/* Publishing: pinning all objects that a value reaches, before other domains can reach
   the value.

   Stores call [hh_publish]; forks call [hh_hand_over_to_task]; new domains, results
   and suspended tasks use [hh_hand_over] and [hh_give_to_all]. The walk pins only
   objects of the domain's own leaf, and lowers pins in other heaps. No function here
   moves an object. */

#ifndef HH_PUBLISH_H
#define HH_PUBLISH_H

void hh_visit(domain *, value); /* pins [v] and pushes [v] for a visit of its fields */

/* [hh_publish] serves a store: it publishes [v] as deep as [field] is pinned.
   [hh_hand_over] serves forks, new domains and tasks. [v] may be any value. After the
   store, the caller calls [hh_stored]. */
void hh_publish(value field, chunk *, value v, chunk *of_v), hh_hand_over(value v, int depth);
void hh_give_to_all(domain *, value); /* publishes permanently, unless alone */
void hh_hand_over_to_task(value v, int depth);
void hh_publish_globals(void), hh_publish_roots(domain *);

#endif
