/* The verifier of cycles (cycle.c): checks that a cycle has marked all live objects.

   The driver calls [hh_verify_cycle] and [hh_verify_cleared], which do nothing without
   DROMOS_HEAP=c. The marks and maps of the cycle are restored afterwards. */

#ifndef HH_CHECK_CYCLE_H
#define HH_CHECK_CYCLE_H

int hh_verify_cycle(domain *); /* 0: the cycle was abandoned */
int hh_verify_cleared(domain *);

#endif
