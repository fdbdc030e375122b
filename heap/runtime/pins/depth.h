/* Pin depths: how long pins last, and expiry at joins.

   Pinning calls [hh_set_depth] and [hh_note_pin]; joins call [hh_close] and
   [hh_expire]; collections call [hh_forget_expired], [hh_pin_marked] and [hh_unpin].
   The callers own the heap, sweep it, or have stopped the world; a lowering domain
   calls [hh_set_depth] alone. */

#ifndef HH_DEPTH_H
#define HH_DEPTH_H


/* ends the fork of [level]; 1 if the heap's depth has decreased */
int hh_close(heap *, int level);
void hh_unpin(chunk *); /* when no other heap reaches its objects */
void hh_forget_expired(chunk *); /* clears the pin bits of expired pins */

/* bit j: word 64 * i + j has expired; the chunk has a map of depths */
bits hh_expired_at(chunk *, size_t i);

/* bit j: the word is pinned at [depth] or deeper */
bits hh_deeper_at(chunk *, size_t i, int depth);
void hh_pin_marked(chunk *); /* keeps expired objects in place if they were marked */
void hh_expire(heap *); /* unpins the objects pinned deeper than the heap's depth */

/* call before the pin bits of a new pin are set */
void hh_set_depth(chunk *, value, int);

/* sets the depth of deeper and of expired pins */
void hh_pin_again(heap *, chunk *, int);

/* lists the chunk in the heap's level, for the join */
void hh_note_pin(heap *, chunk *, int);

#endif
