/* Leaf heaps for OCaml 5.3: what the files of this folder share.

   Each domain allocates and collects in a heap of its own, the leaf; one more
   heap, the frozen one, belongs to all and is collected only with the world
   stopped. What a store makes reachable for others is pinned first: it, and all
   it reaches, stays where it is. README.md has the design and its invariants,
   each file its part of them.

   Who may call: everything here is called with the domain's lock held, on the
   domain's own heap, unless it says otherwise. */

#ifndef HH_H
#define HH_H

#define CAML_INTERNALS
#define CAML_NAME_SPACE
#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <caml/alloc.h>
#include <caml/callback.h>
#include <caml/custom.h>
#include <caml/domain.h>
#include <caml/domain_state.h>
#include <caml/fail.h>
#include <caml/fiber.h>
#include <caml/major_gc.h>
#include <caml/memory.h>
#include <caml/misc.h>
#include <caml/mlvalues.h>
#include <caml/roots.h>
#include <caml/shared_heap.h>
#include <caml/signals.h>
#include <caml/startup_aux.h>

#include "bits.h"

/* What is made anew wherever it is called, as its arguments are known there. */
#define ALIKE static inline __attribute__((always_inline))

/* Of stock's, but in none of its headers. */
extern uintnat caml_percent_free, caml_fiber_wsz;
extern uintnat caml_custom_minor_ratio, caml_custom_minor_max_bsz;

/* {1 Vectors} of anything, grown by doubling; in C memory. */

#define HH_VECTOR(t) struct { t *at; size_t count, room; }
#define hh_push(v, x)                                                     \
  do {                                                                    \
    if ((v)->count == (v)->room)                                          \
      (v)->at = hh_grow((v)->at, &(v)->room, sizeof *(v)->at);            \
    (v)->at[(v)->count++] = (x);                                          \
  } while (0)
#define hh_append(v, w)                                                   \
  do {                                                                    \
    if ((v)->count == 0) hh_exchange(v, w);                               \
    for (size_t i_ = 0; i_ < (w)->count; i_++) hh_push(v, (w)->at[i_]);   \
    (w)->count = 0;                                                       \
  } while (0)
#define hh_exchange(v, w)                                                 \
  do {                                                                    \
    __typeof__(*(v)) x_ = *(v);                                           \
    *(v) = *(w);                                                          \
    *(w) = x_;                                                            \
  } while (0)
#define hh_give_memory_back(v)                                            \
  do {                                                                    \
    free((v)->at);                                                        \
    (v)->at = NULL;                                                       \
    (v)->count = (v)->room = 0;                                           \
  } while (0)
void *hh_grow(void *, size_t *room, size_t element); /* stops the program if
                                                        there is no memory */

#include "chunk.h"
#include "heap.h"
#include "domain.h"
#include "pin.h"

/* {1 Tasks} (task.c, records.c, task_roots.c) */

typedef struct task task;
extern _Atomic size_t hh_leaves; /* leaves there are: domains' own, and tasks' */
void hh_add_leaf(domain *);      /* by who is in the first of them: spawn.c */
static inline int hh_alone(void) {
  return atomic_load_explicit(&hh_leaves, memory_order_relaxed) == 1;
}
extern heap hh_cells; /* of the chunks in which tasks' private roots are */
heap *hh_heap_of_task(size_t i);        /* of the i-th there may be; or NULL */
size_t hh_tasks(void);                  /* how many there may be */
void hh_scan_task(domain *, heap *, scanning_action);
void hh_scan_kept_of(heap *, scanning_action, void *); /* and its token */
void hh_scan_running(domain *, scanning_action); /* their cells, before the leaf changes */
void hh_scan_offers(scanning_action, void *, int homeless); /* 1: only those */
void hh_trace_offers(domain *), hh_note_offers(domain *); /* the others; global.c */
int hh_depth_for(heap *, heap *by); /* for which its objects are pinned for that one */
void hh_scan_entered(domain *, scanning_action, void *); /* what its tasks keep */
heap *hh_heap_entered(domain *, size_t i); /* of [entered]; or NULL */
int hh_scan_resumable(domain *, heap *, scanning_action); /* 1 if there was one more */
void hh_forget_lost(heap *);
void hh_disorder_all(heap *); /* it, and those above */
int hh_close(heap *, int level); /* its fork of that level: 1 if its depth is less then */
void hh_let_expire(heap *);   /* what is pinned deeper than its depth, if it may */
void hh_switch(domain *, heap *); /* it allocates there from now on */
extern _Atomic size_t hh_splits, hh_merges; /* heaps made for tasks, and merged */

/* {1 What there is} (census.c) */

typedef struct {
  size_t words, chunks, live_words, live_blocks;
  size_t free_words, free_blocks, largest_free; /* where allocation may go on */
  size_t fragments;                             /* other words that hold nothing */
} census;
void hh_take_census(census *); /* right after a full collection while alone, or a
                                  global one, the world still stopped */

/* {1 Collections} */

typedef enum { YOUNG_ONLY, FULL } scope;
void hh_collect(domain *, scope);      /* leaf.c */
void hh_collect_before_spawn(domain *); /* if it is time */
void hh_after_run(domain *);            /* soon, if it is time */
int hh_full_due(domain *), hh_half_due(domain *); /* the latter before it is set apart */
void hh_settle(chunks *from, scope);     /* what becomes of them, after tracing */
void hh_global_collect(domain *, census *); /* global.c: stops the world */

extern int hh_checking;
void hh_check_other(domain *, heap *); /* that is nobody's leaf now */
void hh_check(domain *, const char *after, int all); /* check.c; if [hh_checking] */
void hh_forward(void *domain, value, volatile value *); /* trace.c */
void hh_trace_start(domain *, heap *to), hh_trace(domain *);
void hh_note(domain *, value, heap *of); /* if it is in a leaf other than [of] */
int hh_dead(volatile value *);  /* after tracing: unreachable; else, where it is now */
void hh_scan_domain(void *, domain *of, scanning_action);
/* What comes before is none of OCaml's values; of continuations and ephemerons others know. */
static inline mlsize_t hh_first_field(value v, header_t header) {
  return Tag_hd(header) == Closure_tag ? Start_env_closinfo(Closinfo_val(v)) : 0;
}
void hh_scan_c_roots(scanning_action, void *); /* leaf.c */
size_t hh_now_ns(void);

/* {1 The concurrent collection} (cycle.c, inbox.c, mark.c, pace.c, scan.c, seen.c,
   sweep.c, told.c) */

enum stage { REST, GREET, AGAIN, SCAN, FLUSH, FINAL, CLEAR, END, STAGES };
static inline enum stage hh_stage_of(size_t n) { return (enum stage)(n % STAGES); }

extern int hh_concurrent;
extern _Atomic size_t hh_stage;   /* a domain that has not answered looks up */
extern _Atomic int hh_marking;    /* no pin expires */
extern _Atomic size_t hh_finished; /* the cycle that may be swept for, or 0 */
extern size_t hh_cycle, hh_cycles;
void hh_answer(domain *), hh_step_in_pace(domain *); /* pace.c */
int hh_step(domain *);
void hh_join_cycle(domain *), hh_leave_cycle(domain *), hh_abandon_cycle(void);

static inline int hh_watches(domain *d) {
  return atomic_load_explicit(&hh_marking, memory_order_relaxed) && d->watching;
}
/* The last cycle has found what is dead there; its owner's next collection looks. */
static inline int hh_sweep_waits(heap *h) {
  return hh_finished && hh_read(h->swept_for) != hh_cycle;
}
int hh_seen(chunk *, value);
void hh_see(chunk *, value);        /* now; and, before it is swept for, of that cycle: */
void hh_still_see(chunk *, value, size_t cycle);
void hh_shade_root(void *greys, value, volatile value *);
void hh_shade(greys *, value), hh_shade_new(greys *, chunk *, value);
void hh_shade_again(greys *, chunk *, value); /* even if it was met */
void hh_see_rest(greys *); /* when all has been decided */
int hh_mark_some(greys *, size_t words);
int hh_look_again(greys *); /* at ephemerons, when all have brought nothing */
chunk *hh_shared_chunk(value); /* where it is, if it is shared; else NULL */
int hh_undecided(value);       /* what has it alone by weak pointers need not live */
int hh_unmet(value);           /* and so far has not been met */
void hh_forget_ephemerons(void);

void hh_flush(greys *), hh_take_inbox(greys *to), hh_clear_inbox(void);
void hh_begin_round(void);
int hh_brought(void);
extern _Atomic int hh_decided; /* what is not met now is dead, and still in its place */
int hh_decide(void);           /* 0: not yet */
int hh_revive(value); /* it was read from a weak pointer; 0: that has been decided */
extern _Atomic int hh_told; /* of any object, so far */
void hh_tend(heap *), hh_tend_all_of(domain *), hh_tend_the_rest(domain *);
void hh_tend_suspended(domain *); /* task_roots.c */
int hh_shade_revived(greys *);
void hh_forget_revived(void);
void hh_each_heap_of(domain *, void (*)(domain *, heap *)); /* some of them twice */
void hh_scan_private(domain *), hh_scan_leaf(domain *by, heap *), hh_scan_common(domain *);
heap *hh_heap_suspended(size_t i);
void hh_scan_suspended(domain *); /* tasks' heaps that were not scanned: task_roots.c */
void hh_judge(heap *), hh_judge_frozen(void);
void hh_sweep(heap *), hh_sweep_frozen(domain *);
void hh_sweep_suspended(void); /* task_roots.c */
int hh_verify_cycle(domain *); /* check_cycle.c: 0 if it has been abandoned */
int hh_verify_cleared(domain *);

/* {1 When} (due.c) */

extern size_t hh_least_global, hh_least_shared;
int hh_cycle_due(void), hh_global_due(void);
void hh_note_outside(size_t bytes);
int hh_cycle_late(void); /* the one under way: so much has been shared since it began */
int hh_much_held(void); /* leaves are to be collected in full, where they have grown */
void hh_note_cycle_begins(void), hh_note_cycle_ends(int will_sweep);
void hh_note_all_live(void); /* what is held lives, all of it */
void hh_note_shared_lives(void); /* so does what is shared */
void hh_note_freezes(size_t alive, size_t without_fields); /* what the only domain has
                                                              becomes everybody's */
size_t hh_frozen_alive(void); /* of that, if nobody knows better */
size_t hh_waits_since(void); /* the last cycle: bytes that only the next may free */

/* {1 Stacks} (stack.c). Between these two a collection scans all that are alive. */

void hh_note_stacks(void), hh_free_dead_stacks(void);
int hh_stacks_due(void); /* they have doubled */
size_t hh_stack_bytes(caml_domain_state *); /* used, of its fiber and those below */

/* {1 What is told of objects} */

void hh_sweep_customs(heap *, scope), hh_collect_new_customs(domain *);
void hh_drop_customs(heap *, int (*dead)(value)); /* and finalises them */
void hh_scan_ephemerons(domain *, heap *, scope); /* and traces */
int hh_keep_data(domain *, heap *); /* traces; 1 if there was some */
void hh_clear_ephemerons(heap *);
void hh_clear_unmet(value ephemeron), hh_clear_unmet_ephemerons(heap *);
void hh_drop_ephemerons(heap *, int (*dead)(value)); /* and clears what is dead in others */
void hh_settle_ephemerons(heap *); /* young ones are old ones */
void hh_rehome_customs(heap *), hh_rehome_ephemerons(domain *, heap *); /* after global ones */
void hh_note_stray_finals(domain *, heap *);
void hh_scan_finals(domain *, heap *, scanning_action, scope);
void hh_take_dead(heap *), hh_take_dead_last(heap *), hh_take_young_dead_last(heap *);
void hh_finals_are_old(heap *);
void hh_take_unmet(heap *, values *revived), hh_take_unmet_last(heap *);
void hh_take_swept_last(heap *, int (*dead)(value));
void hh_scan_todo(domain *, heap *, scanning_action);
heap *hh_heap_with_todo(domain *); /* of its own ones, or NULL */
void hh_give_todo(domain *, heap *), hh_take_suspended_todo(domain *); /* where nobody runs */

/* {1 Stopping} (stop.c) */

extern _Atomic int hh_stopping; /* somebody wants all to stop */
void hh_stop_world(domain *), hh_start_world(domain *);
void hh_park(domain *);         /* until the world goes on */
void hh_enter_gate(void), hh_leave_gate(void); /* between: the world is not stopped anew */
void hh_lock_roster(domain *), hh_unlock_roster(void); /* no domain comes or goes */
void hh_interrupt(domain *);    /* any thread: look at what is pending */
void hh_ask_to_collect(domain *); /* by itself: what is young, soon */
int hh_must_look(domain *);
int hh_callbacks_wait(domain *); /* of signals, finalisers, threads */

#endif
