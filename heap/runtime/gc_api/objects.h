/* Objects allocated by C code.

   C stubs and stock's files call the functions below, by stock's names. None of the
   functions collects, so C code may fill the new object by plain stores. Objects of
   more than [large_bytes] have chunks of their own. */

#ifndef HH_OBJECTS_H
#define HH_OBJECTS_H

void hh_refuse(domain *); /* an allocation failed: asks for a global collection soon */

#endif
