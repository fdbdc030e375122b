/* Pacing: slows down domains that share faster than the cycle proceeds.

   Collections call [hh_step_in_pace], which drives the cycle and may nap. No function
   here may wait longer than [most_naps] naps. */

#ifndef HH_PACING_H
#define HH_PACING_H

void hh_step_in_pace(domain *);

#endif
