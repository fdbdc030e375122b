/* Marking shared objects, beside the running program (cycle.c has the protocol).

   The file offers shading (the write barrier and scans call [hh_shade] and its
   variants), marking in slices ([hh_mark_some], called by the driver with the cycle's
   lock) and the scan of shared continuations. Marked objects do not move, and no pin
   may expire while the cycle marks. */

#ifndef HH_MARK_H
#define HH_MARK_H

void hh_shade_root(void *greys, value, volatile value *);
void hh_shade(greys *, value), hh_shade_new(greys *, chunk *, value);

/* also traces a value that is marked already */
void hh_shade_again(greys *, chunk *, value);
void hh_mark_rest(greys *); /* drains [greys] after the cycle has decided what is dead */
int hh_mark_some(greys *, size_t words);

/* looks at ephemerons again, after all domains flushed nothing */
int hh_look_again(greys *);
chunk *hh_shared_chunk(value); /* the chunk of a shared object; else NULL */
int hh_undecided(value); /* 1 if only marking can tell whether the object lives */
int hh_is_unmarked(value); /* undecided, and not marked so far */
void hh_forget_ephemerons(void);

#endif
