/* Counting live objects and free memory, for `Gc.stat`: [hh_take_census] walks all
   chunks. */

#ifndef HH_CENSUS_H
#define HH_CENSUS_H


typedef struct {
  size_t words, chunks, live_words, live_blocks;
  size_t free_words, free_blocks, largest_free; /* words in which allocation can go on */
  /* all remaining words without an object */
  size_t fragments;
} census;

/* call right after a full collection while alone, or after a global collection with the
   world still stopped */
void hh_take_census(census *);

#endif
