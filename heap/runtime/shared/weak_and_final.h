/* Finalisers and weak pointers in a cycle (cycle.c).

   Answers to FINALISE and CLEAR call [hh_process_weak]; weak.c and finalise.c set
   [hh_weak_or_final]. No function here frees an object: sweeps come after all domains
   have answered. */

#ifndef HH_WEAK_AND_FINAL_H
#define HH_WEAK_AND_FINAL_H

extern _Atomic int hh_weak_or_final; /* a finaliser or an ephemeron exists, or existed */
void hh_process_weak(heap *), hh_process_weak_of(domain *), hh_process_weak_rest(domain *);
int hh_shade_revived(greys *);
void hh_forget_revived(void);

#endif
