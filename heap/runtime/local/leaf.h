/* Collecting a domain's local heap ([leaf]), without asking other domains.

   Allocation and `Gc` call [hh_collect]; spawning and runs call the two functions at
   the end. A collection of a leaf must not touch another heap's private objects, and
   must not move a pinned object. */

#ifndef HH_LEAF_H
#define HH_LEAF_H


typedef enum { YOUNG_ONLY, FULL } scope;
void hh_collect(domain *, scope);
void hh_collect_before_spawn(domain *); /* collects if a trigger says so */
void hh_after_run(domain *); /* asks for a collection if one is due */
int hh_full_due(domain *), hh_half_due(domain *); /* the second: before a bulk pin */
void hh_settle(chunks *from, scope); /* after tracing: puts chunks into their lists */
void hh_scan_c_roots(scanning_action, void *);

#endif
