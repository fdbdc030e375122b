/* Who shares faster than a cycle gets on.

   A cycle takes as long as the slowest domain takes to answer, stage by stage. Where there
   are more domains than processors that is the one that does not run at the moment, and
   those that do publish meanwhile what only the next cycle can free. So once the program
   has shared as much since the cycle began as it took to begin it, who has collected naps
   while others are to go on: what does not run gets its processor. It naps a
   millisecond at most, and then goes on in any case. */

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
