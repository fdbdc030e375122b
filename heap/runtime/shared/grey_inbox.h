/* The inbox of grey objects that domains hand to the marker, and the decision that
   marking is over.

   Domains call [hh_flush] and, for values read from weak pointers, [hh_revive]; the
   driver calls the rest. No function here traces an object. */

#ifndef HH_GREY_INBOX_H
#define HH_GREY_INBOX_H

void hh_flush(greys *), hh_take_inbox(greys *to), hh_clear_inbox(void);
void hh_begin_round(void);
int hh_brought(void);

/* 1: unmarked objects are dead, and still in their places */
extern _Atomic int hh_decided;
int hh_decide(void); /* 0: marking has to go on */
int hh_revive(value); /* call with a value read from a weak pointer; 0: decided dead */

#endif
