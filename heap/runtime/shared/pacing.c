/* Pacing: slows down domains that share faster than the cycle proceeds.

   A cycle takes as long as the slowest domain takes to answer, stage by stage. With
   more domains than processors, the slowest is a domain that does not run at the
   moment; the running domains meanwhile publish objects that only the next cycle can
   free. Therefore, once the program has shared as much since the cycle began as it
   took to begin the cycle, a domain naps after its collection while the cycle waits
   for answers, and the processor goes to a domain that has to answer. After
   [most_naps] short naps, together about a millisecond, the domain goes on in any
   case. */

#include "hh.h"
#include <time.h>

static const struct timespec nap = {0, 50000};
static const int most_naps = 10;

void hh_step_in_pace(domain *d) {
  int goes_on = hh_step(d);
  for (int n = 0; n < most_naps && !goes_on && hh_cycle_late() && !hh_stopping; n++) {
    nanosleep(&nap, NULL);
    if (d->stage != hh_stage) hh_answer(d);
    goes_on = hh_step(d);
  }
}
