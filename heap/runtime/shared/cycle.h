/* The concurrent collection (a cycle): collects shared objects, which are frozen or
   pinned.

   The file offers the stages of a cycle and the driver. Domains call [hh_step] after
   each collection and [hh_answer] at poll points; starting and ending domains call
   [hh_join_cycle] and [hh_leave_cycle]. No function here moves an object, stops the
   world, or waits for a domain; pacing.c alone may make a domain nap. */

#ifndef HH_CYCLE_H
#define HH_CYCLE_H


/* The stages of a cycle: cycle.c has a table. */
enum stage { IDLE, SYNC1, SYNC2, ASYNC, MARK, FINALISE, CLEAR, END, STAGES };

static inline enum stage hh_stage_of(size_t n) { return (enum stage)(n % STAGES); }
extern int hh_concurrent;
extern _Atomic size_t hh_stage; /* each domain answers at its next poll point */
extern _Atomic int hh_marking; /* while 1, no pin expires */

/* number of the cycle that heaps may be swept for, or 0 */
extern _Atomic size_t hh_finished;
extern size_t hh_cycle; /* number of the present cycle, or of the last */
extern size_t hh_cycles; /* cycles that have finished */
void hh_answer(domain *);
int hh_step(domain *);
void hh_join_cycle(domain *), hh_leave_cycle(domain *), hh_abandon_cycle(void);

static inline int hh_watches(domain *d) {
  return atomic_load_explicit(&hh_marking, memory_order_relaxed) && d->watching;
}

/* The last cycle has found dead objects in the heap; the owner's next collection sweeps
   them. */
static inline int hh_sweep_waits(heap *h) {
  return hh_finished && hh_read(h->swept_for) != hh_cycle;
}

#endif
