/* The pool: partly free chunks that any domain may take for allocation.

   Collections call [hh_give_to_pool]; allocation calls [hh_take_from_pool]; sweeps and
   global collections call [hh_note_pooled]. Only chunks whose pins are all permanent
   may enter the pool. */

#ifndef HH_POOL_H
#define HH_POOL_H


/* The pool (pool.c): chunks that any domain may take for allocation. Operations take
   [hh_frozen_lock]. */
extern heap hh_pool;
void hh_give_to_pool(heap *leaf); /* call right after a collection of [leaf] */
chunk *hh_take_from_pool(heap *leaf); /* [leaf] owns the chunk then; NULL: none free */
void hh_note_pooled(void); /* recounts, after a sweep or an adoption */
size_t hh_pooled(void); /* free bytes in the pool; any thread may call */

#endif
