/* Local heaps for OCaml 5.3: the declarations that the files of this folder share.

   Each domain, and each stolen task, allocates in a heap of its own and collects that
   heap alone: the local heap ([leaf]). The shared heap ([hh_frozen]) belongs to all
   domains; a concurrent cycle collects the shared heap (cycle.c). Before a store lets
   other domains reach an object, the store publishes the object: the object and all
   objects reachable from it are pinned, and a pinned object does not move. README.md
   has the design and its invariants, each file its part of them.

   Who may call: unless a comment says otherwise, the caller holds the domain's lock
   and passes its own domain or heap.

   Words used below: a shared object lies in the shared heap or is pinned. A cycle is
   one concurrent collection of the shared objects. The safety net is the collection
   that stops all domains (global.c). An object is marked ([met]) when the present
   cycle has found it alive. A heap is set apart when its chunks are pinned as a whole
   (a bulk pin, apart.c). A pin expires when its fork has joined: the object is private
   again. */

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

/* Always inlined: the compiler specialises the function for known arguments. */
#define ALIKE static inline __attribute__((always_inline))

/* Variables of stock's runtime that no header of stock declares. */
extern uintnat caml_percent_free, caml_fiber_wsz;
extern uintnat caml_custom_minor_ratio, caml_custom_minor_max_bsz;

/* {1 Vectors} of any element type, in C memory; a full vector doubles its room. */

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
/* ends the program if there is no memory */
void *hh_grow(void *, size_t *room, size_t element);

#include "chunk.h"
#include "heap.h"
#include "domain.h"
#include "pin.h"

/* {1 Tasks} (task.c, records.c, task_roots.c) */

typedef struct task task;
extern _Atomic size_t hh_leaves; /* the number of local heaps, of domains and of tasks */
void hh_add_leaf(domain *);      /* the caller owns the first leaf: spawn.c */
static inline int hh_alone(void) {
  return atomic_load_explicit(&hh_leaves, memory_order_relaxed) == 1;
}
extern heap hh_cells; /* owns the chunks in which tasks' private roots lie */
heap *hh_heap_of_task(size_t i);        /* [i] < [hh_tasks]; NULL: task i has no heap */
size_t hh_tasks(void);                  /* the number of task records ever made */
void hh_scan_task(domain *, heap *, scanning_action);
/* the cell, the kept values and the token of the heap's task */
void hh_scan_kept_of(heap *, scanning_action, void *);
/* cells of running tasks, before the leaf changes */
void hh_scan_running(domain *, scanning_action);
/* [homeless]: only branches that have no home heap */
void hh_scan_offers(scanning_action, void *, int homeless);
/* handle branches with a home heap (global.c) */
void hh_trace_offers(domain *), hh_note_offers(domain *);
int hh_depth_for(heap *, heap *by); /* the pin depth of the first heap's objects if
                                       [by] reaches them */
/* values that its tasks' records keep */
void hh_scan_entered(domain *, scanning_action, void *);
heap *hh_heap_entered(domain *, size_t i); /* the heap of entered task i; NULL if
                                              suspended */
/* 1 if the task proved resumable just now */
int hh_scan_resumable(domain *, heap *, scanning_action);
void hh_forget_lost(heap *);
void hh_disorder_all(heap *); /* stops expiry in the heap and all above */
int hh_close(heap *, int level); /* ends the fork of [level]; 1 if the heap's depth has
                                    decreased */
void hh_let_expire(heap *);   /* unpins the objects pinned deeper than the heap's
                                 depth, if no cycle forbids */
void hh_switch(domain *, heap *); /* the domain allocates in this heap from now on */
extern _Atomic size_t hh_splits, hh_merges; /* numbers of heaps made for tasks and of
                                               heaps merged */

/* {1 Counting what the heaps hold} (census.c) */

typedef struct {
  size_t words, chunks, live_words, live_blocks;
  size_t free_words, free_blocks, largest_free; /* words in which allocation can go on */
  /* all remaining words without an object */
  size_t fragments;
} census;
void hh_take_census(census *); /* call right after a full collection while alone, or
                                  after a global collection with the world still
                                  stopped */

/* {1 Collections} */

typedef enum { YOUNG_ONLY, FULL } scope;
void hh_collect(domain *, scope);      /* leaf.c */
void hh_collect_before_spawn(domain *); /* collects if a trigger says so */
void hh_after_run(domain *);            /* asks for a collection if one is due */
int hh_full_due(domain *), hh_half_due(domain *); /* the second: before a bulk pin */
void hh_settle(chunks *from, scope);     /* after tracing: puts chunks into their lists */
void hh_global_collect(domain *, census *); /* global.c: stops the world */

extern int hh_checking;
void hh_check_other(domain *, heap *); /* checks a heap in which no domain runs */
/* check.c; does nothing unless [hh_checking] */
void hh_check(domain *, const char *after, int all);
void hh_forward(void *domain, value, volatile value *); /* trace.c */
void hh_trace_start(domain *, heap *to), hh_trace(domain *);
void hh_note(domain *, value, heap *of); /* notes [v] if it lies in another leaf than
                                            [of] */
int hh_dead(volatile value *);  /* after tracing: 1 if unreachable; 0 after updating
                                   the pointer */
void hh_scan_domain(void *, domain *of, scanning_action);
/* The words before the first field are no OCaml values. Callers treat continuations
   and ephemerons separately. */
static inline mlsize_t hh_first_field(value v, header_t header) {
  return Tag_hd(header) == Closure_tag ? Start_env_closinfo(Closinfo_val(v)) : 0;
}
void hh_scan_c_roots(scanning_action, void *); /* leaf.c */
size_t hh_now_ns(void);

/* {1 The concurrent collection} (cycle.c, inbox.c, mark.c, pace.c, scan.c, seen.c,
   sweep.c, told.c) */

/* The stages of a cycle: cycle.c has a table. */
enum stage { REST, GREET, AGAIN, SCAN, FLUSH, FINAL, CLEAR, END, STAGES };
static inline enum stage hh_stage_of(size_t n) { return (enum stage)(n % STAGES); }

extern int hh_concurrent;
extern _Atomic size_t hh_stage;   /* each domain answers at its next poll point */
extern _Atomic int hh_marking;    /* while 1, no pin expires */
extern _Atomic size_t hh_finished; /* number of the cycle that heaps may be swept for,
                                      or 0 */
extern size_t hh_cycle, /* number of the present cycle, or of the last */
    hh_cycles;          /* cycles that have finished */
void hh_answer(domain *), hh_step_in_pace(domain *); /* pace.c */
int hh_step(domain *);
void hh_join_cycle(domain *), hh_leave_cycle(domain *), hh_abandon_cycle(void);

static inline int hh_watches(domain *d) {
  return atomic_load_explicit(&hh_marking, memory_order_relaxed) && d->watching;
}
/* The last cycle has found dead objects in the heap; the owner's next collection
   sweeps them. */
static inline int hh_sweep_waits(heap *h) {
  return hh_finished && hh_read(h->swept_for) != hh_cycle;
}
int hh_seen(chunk *, value);
void hh_see(chunk *, value);        /* marks in the present cycle */
void hh_still_see(chunk *, value, size_t cycle); /* if [cycle] still has the bitmap */
void hh_shade_root(void *greys, value, volatile value *);
void hh_shade(greys *, value), hh_shade_new(greys *, chunk *, value);
void hh_shade_again(greys *, chunk *, value); /* also traces a value that is marked
                                                 already */
void hh_see_rest(greys *); /* drains [greys] after the cycle has decided what is dead */
int hh_mark_some(greys *, size_t words);
int hh_look_again(greys *); /* looks at ephemerons again, after all domains flushed
                               nothing */
chunk *hh_shared_chunk(value); /* the chunk of a shared object; else NULL */
int hh_undecided(value);       /* 1 if only marking can tell whether the object lives */
int hh_unmet(value);           /* undecided, and not marked so far */
void hh_forget_ephemerons(void);

void hh_flush(greys *), hh_take_inbox(greys *to), hh_clear_inbox(void);
void hh_begin_round(void);
int hh_brought(void);
extern _Atomic int hh_decided; /* 1: unmarked objects are dead, and still in their
                                  places */
int hh_decide(void);           /* 0: marking has to go on */
int hh_revive(value); /* call with a value read from a weak pointer; 0: decided dead */
extern _Atomic int hh_told; /* a finaliser or an ephemeron exists, or existed */
void hh_tend(heap *), hh_tend_all_of(domain *), hh_tend_the_rest(domain *);
void hh_tend_suspended(domain *); /* task_roots.c */
int hh_shade_revived(greys *);
void hh_forget_revived(void);
/* may call twice for a heap */
void hh_each_heap_of(domain *, void (*)(domain *, heap *));
void hh_scan_private(domain *), hh_scan_leaf(domain *by, heap *), hh_scan_common(domain *);
heap *hh_heap_suspended(size_t i);
void hh_scan_suspended(domain *); /* suspended tasks' heaps that no domain has scanned:
                                     task_roots.c */
void hh_judge(heap *), hh_judge_frozen(void);
void hh_sweep(heap *), hh_sweep_frozen(domain *);
void hh_sweep_suspended(void); /* task_roots.c */
int hh_verify_cycle(domain *); /* check_cycle.c; 0: the cycle was abandoned */
int hh_verify_cleared(domain *);

/* {1 Triggers} (due.c) */

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
size_t hh_waits_since(void); /* bytes shared since the last cycle, which only the next
                                cycle frees */

/* {1 Stacks} (stack.c). Call the first function before a collection scans all live
   stacks, and the second after the scan. */

void hh_note_stacks(void), hh_free_dead_stacks(void);
int hh_stacks_due(void); /* the bytes of all stacks have doubled */
size_t hh_stack_bytes(caml_domain_state *); /* used bytes of the current fiber's stack
                                               and of its parents */

/* {1 Finalisers, weak pointers and custom blocks} (custom.c, ephemeron.c, finalise.c) */

void hh_sweep_customs(heap *, scope), hh_collect_new_customs(domain *);
void hh_drop_customs(heap *, int (*dead)(value)); /* finalises the dead blocks */
/* traces the data to be kept */
void hh_scan_ephemerons(domain *, heap *, scope);
int hh_keep_data(domain *, heap *); /* traces; 1 if some data was kept */
void hh_clear_ephemerons(heap *);
void hh_clear_unmet(value ephemeron), hh_clear_unmet_ephemerons(heap *);
/* clears dead keys in the remaining ephemerons */
void hh_drop_ephemerons(heap *, int (*dead)(value));
void hh_settle_ephemerons(heap *); /* moves young ephemerons to the list of old ones */
/* call the next two after global collections */
void hh_rehome_customs(heap *), hh_rehome_ephemerons(domain *, heap *);
void hh_note_stray_finals(domain *, heap *);
void hh_scan_finals(domain *, heap *, scanning_action, scope);
void hh_take_dead(heap *), hh_take_dead_last(heap *), hh_take_young_dead_last(heap *);
void hh_finals_are_old(heap *);
void hh_take_unmet(heap *, values *revived), hh_take_unmet_last(heap *);
void hh_take_swept_last(heap *, int (*dead)(value));
void hh_scan_todo(domain *, heap *, scanning_action);
heap *hh_heap_with_todo(domain *); /* among the domain's heaps; or NULL */
/* heaps without a running task */
void hh_give_todo(domain *, heap *), hh_take_suspended_todo(domain *);

/* {1 Stopping} (stop.c) */

extern _Atomic int hh_stopping; /* a domain wants to stop all domains */
void hh_stop_world(domain *), hh_start_world(domain *);
void hh_park(domain *);         /* blocks until the world goes on */
/* no new stop begins between the two calls */
void hh_enter_gate(void), hh_leave_gate(void);
/* no domain starts or ends between the two */
void hh_lock_roster(domain *), hh_unlock_roster(void);
void hh_interrupt(domain *);    /* any thread may call: the domain stops at its next
                                   poll point */
void hh_ask_to_collect(domain *); /* asks for a young collection, soon */
int hh_must_look(domain *);
int hh_callbacks_wait(domain *); /* 1 if signals, finalisers or threads wait */

#endif
