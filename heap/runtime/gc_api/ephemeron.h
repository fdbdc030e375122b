/* Ephemerons in collections and cycles: which keys are dead, and what becomes of the
   data.

   Leaf and global collections call the first part, cycles [hh_clear_unmarked_ephemerons],
   sweeps [hh_drop_ephemerons]. weak.c has the operations of programs. */

#ifndef HH_EPHEMERON_H
#define HH_EPHEMERON_H


/* traces the data to be kept */
void hh_scan_ephemerons(domain *, heap *, scope);
int hh_keep_data(domain *, heap *); /* traces; 1 if some data was kept */
void hh_clear_ephemerons(heap *);
void hh_clear_unmarked(value ephemeron), hh_clear_unmarked_ephemerons(heap *);

/* clears dead keys in the remaining ephemerons */
void hh_drop_ephemerons(heap *, int (*dead)(value));
void hh_settle_ephemerons(heap *); /* moves young ephemerons to the list of old ones */
void hh_rehome_ephemerons(domain *, heap *); /* call after global collections */

#endif
