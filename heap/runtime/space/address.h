/* The range of addresses in which all heaps lie.

   chunk.c calls the functions below, with the lock of chunk.c held; the runtime's
   start calls [hh_init_space] before. No function here touches the memory of an
   object. */

#ifndef HH_ADDRESS_H
#define HH_ADDRESS_H

void hh_init_space(void);
chunk *hh_record(void); /* an unused record; NULL: no memory */
chunk *hh_take_bare(size_t bytes); /* unused addresses; NULL: none */
void hh_give_back(chunk *); /* addresses whose memory was released */
int hh_room_beside(size_t bytes); /* 1 if an object of so many bytes may be made */

#endif
