/* Allocation of small objects, and the areas that domains allocate in.

   Compiled code and C stubs enter through [caml_alloc_small_dispatch] and
   [caml_handle_gc_interrupt]; collections call the functions on areas. A function on
   areas must not collect. */

#ifndef HH_ALLOCATE_H
#define HH_ALLOCATE_H

int hh_has_holes(chunk *); /* 1 if the chunk's holes are worth a search */
extern size_t hh_nursery_bytes, hh_least_old;
void hh_set_nursery(domain *); /* at collections: depends on the size of the stacks */
chunk *hh_young_chunk(domain *, size_t bytes); /* NULL: no memory */
void hh_large_area(domain *, size_t least); /* an area of at least so many bytes */
void hh_new_area(domain *); /* points the young pointers to a fresh area */
void hh_leave_area(domain *); /* leaves the domain without an area, for a collection */
void hh_keep_area(domain *), hh_take_area(domain *); /* around a change of the leaf */

#endif
