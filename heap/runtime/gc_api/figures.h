/* Figures: the runtime's counters, for `Gc`, the library dromos-heap, runtime events,
   and the report at exit. */

#ifndef HH_FIGURES_H
#define HH_FIGURES_H

void hh_note_pause(pauses *, size_t took_ns, size_t felt_ns);
size_t hh_total_at(size_t offset); /* the sum over all domains */

/* bytes allocated in the present area; only the owner calls */
size_t hh_in_area(domain *);

/* call before unpinning; returns the bytes pinned now */
size_t hh_note_most_pinned(void);
extern pauses hh_globals;
extern int hh_reporting; /* write a report at exit */
void hh_init_figures(void);
void hh_emit_counters(domain *); /* writes runtime events; only the owner calls */

#endif
