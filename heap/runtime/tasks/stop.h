/* Interrupting a domain, and stopping the world.

   Signals, cycles and collections call [hh_interrupt]; global collections and the
   verifiers call [hh_stop_world] and [hh_start_world]; spawning and ending domains
   call the roster's functions. A domain that has locked the roster must not stop the
   world. */

#ifndef HH_STOP_H
#define HH_STOP_H

extern _Atomic int hh_stopping; /* a domain wants to stop all domains */
void hh_stop_world(domain *), hh_start_world(domain *);
void hh_park(domain *); /* blocks until the world goes on */

/* no new stop begins between the two calls */
void hh_enter_gate(void), hh_leave_gate(void);

/* no domain starts or ends between the two */
void hh_lock_roster(domain *), hh_unlock_roster(void);

/* any thread may call: the domain stops at its next poll point */
void hh_interrupt(domain *);
void hh_ask_to_collect(domain *); /* asks for a young collection, soon */
int hh_must_look(domain *);
int hh_callbacks_wait(domain *); /* 1 if signals, finalisers or threads wait */

#endif
