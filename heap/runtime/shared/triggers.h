/* Triggers: when a cycle begins, and when the safety net stops the world.

   Collections call [hh_cycle_due], [hh_global_due] and [hh_much_held]; cycles, global
   collections and freezes report to the functions [hh_note_..]. The file only compares
   figures; it must not start a collection. */

#ifndef HH_TRIGGERS_H
#define HH_TRIGGERS_H

extern size_t hh_least_global, hh_least_shared;
int hh_cycle_due(void), hh_global_due(void);
void hh_note_outside(size_t bytes);
int hh_cycle_late(void); /* much has been shared since the present cycle began */
int hh_much_held(void); /* each leaf that has grown should be collected in full */
void hh_note_cycle_begins(void), hh_note_cycle_ends(int will_sweep);
void hh_note_all_live(void); /* call when all bytes held are known to live */
void hh_note_shared_lives(void); /* call when all shared bytes live */

/* call before the only leaf becomes shared */
void hh_note_freezes(size_t alive, size_t without_fields);
size_t hh_frozen_alive(void); /* bytes frozen so and not looked at since, or 0 */

/* bytes shared since the last cycle, which only the next cycle frees */
size_t hh_waits_since(void);

#endif
