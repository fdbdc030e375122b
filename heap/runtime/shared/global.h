/* The safety net: a collection of all heaps, with the world stopped.

   Allocation calls [hh_global_collect] when a trigger asks for that (triggers.c), and
   `Gc` calls it for forced collections. The caller must not hold the roster or another
   domain's lock. */

#ifndef HH_GLOBAL_H
#define HH_GLOBAL_H

void hh_global_collect(domain *, census *); /* global.c: stops the world */

#endif
