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
    for (size_t i_ = 0; i_ < (w)->count; i_++) hh_push(v, (w)->at[i_]);   \
    (w)->count = 0;                                                       \
  } while (0)
void *hh_grow(void *, size_t *room, size_t element); /* stops the program if
                                                        there is no memory */

/* {1 Chunks} (address.c) */

#define CHUNK_LOG 18
#define CHUNK_BYTES ((size_t)1 << CHUNK_LOG)

struct heap;

typedef struct chunk {
  char *base;
  size_t bytes;       /* CHUNK_BYTES, or more for one large object */
  struct heap *heap;  /* whose it is */
  bits *pin;          /* a bit for each word, 1 if pinned; NULL: none is. Of a large
                         object, which is pinned then: no more than that */
  unsigned char all;  /* if not 0, all that is in it is pinned, at most as deep */
  unsigned char same; /* how deep all that is pinned is, if [depth] is NULL */
  unsigned char young, large, from, marked;
  unsigned char packed;   /* by a full collection: all in it lived */
  unsigned char lowered;  /* something in it was, by another domain */
  unsigned char judged;   /* what it has that was pinned before, and is not met, is dead */
  bits *seen;         /* in a cycle: a bit for each word of what was met; mark.c */
  size_t seen_in;     /* in which cycle */
  bits *marks;        /* of headers that stay, where the last full collection moved
                         nothing; else NULL: all up to [fill] lived then */
  unsigned char *depth; /* a byte for each word: how deep, if it is pinned */
  size_t pinned;      /* bytes of what is */
  size_t expired;     /* of these, of what is private again */
  size_t kept;        /* bytes that the last collection found alive */
  char *fill;         /* old ones: allocated up to here */
  char *hole;         /* holed ones: where to look for the next hole */
  struct chunk *next; /* in the list of its heap */
  uint64_t noted;     /* a bit for each depth whose level has it */
} chunk;

typedef struct { chunk *first, *last; size_t bytes; } chunks;

extern char *hh_space;       /* the reserved addresses */
extern chunk **hh_chunk_at;  /* by number from there */
#define SPACE_BYTES ((size_t)1 << 38) /* or fewer, down to: */
#define LEAST_SPACE_BYTES ((size_t)1 << 26)

/* Of static data, and of what C made: NULL. From any thread. */
static inline chunk *chunk_of(value v) {
  size_t offset = (size_t)v - (size_t)hh_space;
  return offset < SPACE_BYTES ? hh_chunk_at[offset >> CHUNK_LOG] : NULL;
}

void hh_init_space(void);
chunk *hh_new_chunk(struct heap *, size_t bytes); /* NULL: no memory. Any thread */
void hh_free_chunk(chunk *);                      /* any thread */
void hh_add_chunk(chunks *, chunk *);       /* at the end */
void hh_add_chunk_first(chunks *, chunk *);
void hh_clear_marks(chunk *);
void hh_join_chunks(chunks *to, chunks *from); /* [from] is empty then; O(1) */
size_t hh_held(void), hh_most_held(void);      /* bytes of chunks; any thread */
size_t hh_chunks_ever(void); /* numbers of chunks are below; the world stopped */

/* An ephemeron is an abstract block of a colour that no other block has. */
#define EPHEMERON_COLOUR ((header_t)2 << HEADER_COLOR_SHIFT)
static inline int is_ephemeron(value v) {
  header_t h = Hd_val(v);
  return Tag_hd(h) == Abstract_tag && Color_hd(h) == EPHEMERON_COLOUR;
}

/* So is a block that begins on a cache line, wherever it is copied to. */
#define ALIGNED_COLOUR ((header_t)1 << HEADER_COLOR_SHIFT)

/* And what fills the gap before it: an object to who walks the chunk, not to a census. */
#define GAP_COLOUR ((header_t)3 << HEADER_COLOR_SHIFT)

/* {1 Heaps} (heap.c) */

typedef struct { value block; mlsize_t mem, max; } custom;
typedef HH_VECTOR(custom) customs;
typedef struct { value fun, val; int offset; } final;
typedef HH_VECTOR(final) final_list;
typedef struct { char *low, *high; } stretch;
typedef HH_VECTOR(value) values;
typedef HH_VECTOR(chunk *) level;
typedef struct { int depth; chunks chunks; size_t live; } apart;

/* Of an object that is shared, and met; its fields from there on are to be traced. */
typedef struct { value object; mlsize_t from; } grey;
typedef HH_VECTOR(grey) greys;

struct task;
struct domain;

typedef struct heap {
  int frozen;        /* shared by all; else a leaf */
  struct task *task; /* whose it is; NULL: a domain's own */
  int depth;         /* a task's: of the joins that its task has open: task.c */
  _Atomic int disordered; /* these did not end in order: nothing expires any more */
  level *levels;     /* a task's: where something is pinned, by depth; NULL: nowhere */
  chunks young;    /* allocated in since the last collection */
  chunks old;      /* what survived, by copying, and large objects */
  chunks holed;    /* where only pinned objects are left */
  HH_VECTOR(apart) apart; /* whole chunks, pinned until the join of that depth */
  values lowered;         /* what was pinned less deep there; by who lowers */
  chunk *open;     /* the one of [old] that is being filled, or NULL */
  stretch area;    /* the rest of the young area, while nobody allocates there */
  chunk *area_chunk; /* where that lies, if it may have further holes */
  HH_VECTOR(stretch) spares; /* of heaps that were merged into this one */
  size_t grown;    /* bytes of young areas given out since the last collection */
  size_t live;     /* bytes of [old] after the last full collection */
  size_t unchecked; /* given out since it was last checked */
  size_t since;    /* given out from the last full collection to the last one */
  int lasting;     /* what survives one full collection survives the next */
  HH_VECTOR(value *) remembered; /* fields of old objects that point to young */
  customs young_customs, old_customs; /* to be finalised */
  HH_VECTOR(value) young_ephemerons, old_ephemerons;
  final_list first, last; /* Gc.finalise, Gc.finalise_last */
  final_list todo;        /* finalisation functions to be called */
  struct domain *scanned_by; /* who is scanning it now: mark.c */
  size_t scanned_in, swept_for; /* cycles */
} heap;

extern heap hh_frozen;
extern pthread_mutex_t hh_frozen_lock; /* of hh_frozen, and of merging with it */

void hh_freeze(heap *);   /* all of it becomes everybody's; O(chunks) */
void hh_adopt(heap *);    /* alone again: what is frozen is ours */
void hh_merge(heap *to, heap *from);
size_t hh_bytes(heap *);

/* {1 Figures} (figures.c). Each domain counts for itself, and goes on where the one
   before in its place ended. Who reads another's may get what is a little old. */

typedef struct domain domain;
typedef struct { size_t count, ns, longest_ns; } pauses;

typedef struct {
  size_t small, large;     /* bytes allocated: in areas up to the present one; in
                              chunks of their own */
  size_t copied, promoted; /* bytes: that collections moved; that were young */
  size_t pinned, unpinned; /* bytes, ever; expired is unpinned */
  size_t entangled;        /* of these, by stores, not by forks and the like */
  size_t for_good;         /* of these, permanently */
  size_t publications;     /* stores that pinned something */
  size_t young_chunks;     /* bytes; summed up over all domains they make sense */
  size_t forced;           /* collections of everything that were asked for */
  size_t lived_ns;         /* of domains that ended */
  size_t met;              /* bytes that cycles have met */
  pauses young, full, scans, slices;
} figures;

#define hh_read(x) __atomic_load_n(&(x), __ATOMIC_RELAXED)
#define hh_count(x, n) __atomic_store_n(&(x), (x) + (n), __ATOMIC_RELAXED)
/* For C that looks at stock's count. */
#define hh_count_major() \
  __atomic_fetch_add(&caml_major_cycles_completed, 1, __ATOMIC_RELAXED)
void hh_note_pause(pauses *, size_t took_ns, size_t felt_ns);

size_t hh_total_at(size_t offset); /* of all domains */
#define hh_total(field) hh_total_at(offsetof(domain, figures.field))
size_t hh_in_area(domain *);     /* bytes allocated in its present one, by its owner */
size_t hh_note_most_pinned(void); /* before something is unpinned; bytes pinned now */

extern pauses hh_globals;
extern int hh_reporting; /* at exit */
void hh_init_figures(void);
void hh_emit_counters(domain *); /* to who reads runtime events; by its owner */

/* {1 Domains} (domain.c) */

typedef struct { value v; int depth; } foreign;

struct domain {
  caml_domain_state *state;
  int reserved;         /* with the roster locked */
  _Atomic int in_use;
  pthread_mutex_t lock; /* held while its OCaml code runs */
  heap own;             /* the domain's */
  heap *leaf;           /* where it allocates: its own, or a task's */
  size_t nursery;       /* bytes that it allocates between young collections */
  size_t stacks;        /* bytes of the stacks that were its roots the last time */
  size_t scanned_stacks; /* that it has scanned, ever, for itself and others */
  heap *to;             /* while collecting, where survivors go: trace.c */
  chunk *scan;
  char *scanned;
  HH_VECTOR(chunk *) large_marked;
  HH_VECTOR(value) stay; /* marked in their place, to be scanned */
  int packing;          /* a full collection: what it fills is packed */
  int noting;           /* global.c: what is met in other leaves goes to */
  HH_VECTOR(foreign) elsewhere; /* what others have of a leaf, and for which fork */
  HH_VECTOR(struct task *) entered; /* tasks that run here: task.c */
  values pins;          /* publish's stack */
  int depth;            /* at which it publishes */
  value into, stored;   /* the field that it stores into, or 0; what it publishes */
  int lowers;           /* pins of others; no other domain stores meanwhile */
  _Atomic int storing;  /* where depths matter; nobody lowers meanwhile */
  greys greys;     /* what it has shaded: cycle.c */
  _Atomic size_t stage; /* to which it has answered last */
  int watching;    /* it shades what it overwrites */
  int has_scanned; /* and no longer what it stores */
  size_t cycle;    /* the last one it has watched */
  int young_only;  /* the collection that is under way */
  int finalising;
  figures figures;
  size_t began_ns;  /* to be a domain */
  figures told;     /* what runtime events have been told of so far */
};

extern domain hh_domains[];
extern CAMLthread_local domain *hh_self;
#define hh_max_domains ((int)caml_params->max_domains)
extern _Atomic int hh_places; /* of these, those ever used come first */
#define each_domain(x)                                                   \
  for (int i_ = 0; i_ < hh_max_domains; i_++)                            \
    for (domain *x = &hh_domains[i_]; x && x->in_use; x = NULL)
void hh_first_domain(void);

static inline void hh_set_young(chunk *c, int young) {
  if (c->young == young) return;
  c->young = young;
  hh_count(hh_self->figures.young_chunks, young ? c->bytes : -c->bytes);
}
int hh_processors(void);

/* {1 Areas} (allocate.c) */

/* No shorter hole is used. */
#define LEAST_HOLE ((size_t)1024)
int hh_has_hole(chunk *);
/* Any combined allocation of OCaml code fits. */
#define LEAST_AREA ((size_t)4096)
extern size_t hh_nursery_bytes, hh_least_old;
void hh_set_nursery(domain *); /* at its collections: by what its stacks are then */
void hh_refuse(domain *);      /* memory: all is collected soon */
void hh_new_area(domain *);    /* the young pointers, to somewhere fresh */
void hh_leave_area(domain *);  /* there is none then: before a collection */
void hh_keep_area(domain *), hh_take_area(domain *); /* when its leaf changes */

/* {1 Pins} (pin.c, depth.c). What a word says of its object: */

enum {
  UNPINNED = 0,
  PERMANENT = 1, /* until the world is stopped for a collection */
  DEEPEST = 62,  /* 2 to here: until the join of that depth */
  EXPIRED = 255  /* private again; stays where it is until a full collection */
};

static inline size_t hh_word_of(chunk *c, value v) {
  return (size_t)((char *)v - c->base) >> 3;
}
/* A large object has one byte. */
static inline unsigned char *hh_depth_at(chunk *c, value v) {
  return c->depth + (c->large ? 0 : hh_word_of(c, v));
}
static inline int hh_has_own_pin(chunk *c, value v) {
  return c->pin && (c->large || bits_at(c->pin, hh_word_of(c, v)));
}
static inline int hh_unpinned(chunk *c, value v) { return !c->all && !hh_has_own_pin(c, v); }
static inline int hh_own_pin_of(chunk *c, value v) {
  if (!hh_has_own_pin(c, v)) return UNPINNED;
  if (!__atomic_load_n(&c->depth, __ATOMIC_RELAXED)) return c->same;
  return __atomic_load_n(hh_depth_at(c, v), __ATOMIC_RELAXED);
}
static inline int hh_shared_pin(int pin) { return pin != UNPINNED && pin != EXPIRED; }
static inline int hh_pin_of(chunk *c, value v) {
  int pin = hh_own_pin_of(c, v), all = c->all;
  return all && (!hh_shared_pin(pin) || pin > all) ? all : pin;
}
static inline int hh_pinned(chunk *c, value v) { return hh_shared_pin(hh_pin_of(c, v)); }

/* v was found dead by a full collection that moved nothing in its chunk. */
static inline int hh_left_dead(chunk *c, value v) {
  return c->marks && !bits_at(c->marks, (size_t)((char *)Hp_val(v) - c->base) >> 3);
}

/* v may be anything. A store's, as deep as its field is; a fork's, a domain's or a
   task's. Then it is stored, and that is said. */
void hh_publish(value field, chunk *, value v), hh_hand_over(value v, int depth);
void hh_stored(domain *);
void hh_hand_over_to_task(value v, int depth);
void hh_bring_all_back(heap *); /* when it is everybody's, or there is no other */
void hh_bring_back(heap *); /* what was set apart deeper than the heap's depth */
void hh_publish_globals(void), hh_publish_roots(domain *);
void hh_unpin(chunk *);         /* nobody else can reach what is in it */
void hh_forget_expired(chunk *); /* they are unpinned */
void hh_pin_marked(chunk *);    /* what expired stays, if it was marked */
void hh_expire(heap *);         /* what is pinned deeper than the heap's depth */
void hh_set_depth(chunk *, value, int); /* before it is pinned, if it was not */
void hh_note_pin(heap *, chunk *, int); /* for the heap's owner to let it expire */
static inline int hh_noted(chunk *c, int depth) { return c->noted >> depth & 1; }

/* The depth at which a value has to be published before it is stored there. */
int hh_depth_of(chunk *, value field);

/* {1 Tasks} (task.c) */

typedef struct task task;
extern _Atomic size_t hh_leaves; /* leaves there are: domains' own, and tasks' */
static inline int hh_alone(void) {
  return atomic_load_explicit(&hh_leaves, memory_order_relaxed) == 1;
}
extern heap hh_cells; /* of the chunks in which tasks' private roots are */
heap *hh_heap_of_task(size_t i);        /* of the i-th there may be; or NULL */
size_t hh_tasks(void);                  /* how many there may be */
void hh_scan_task(domain *, heap *, scanning_action);
void hh_scan_kept_of(heap *, scanning_action, void *); /* and its token */
void hh_scan_running(domain *, scanning_action); /* unless it is suspended */
void hh_scan_offers(scanning_action, void *, int homeless); /* 1: only those */
void hh_trace_offers(domain *), hh_note_offers(domain *); /* the others; global.c */
int hh_depth_for(heap *, heap *by); /* for which its objects are pinned for that one */
void hh_scan_entered(domain *, scanning_action, void *); /* what its tasks keep */
heap *hh_heap_entered(domain *, size_t i); /* of [entered]; or NULL */
int hh_scan_resumable(domain *, heap *, scanning_action); /* 1 if there was one more */
void hh_forget_lost(heap *);
void hh_disorder_all(heap *); /* it, and those above */
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
void hh_settle(chunks *from, scope);     /* what becomes of them, after tracing */
void hh_global_collect(domain *, census *); /* global.c: stops the world */
int hh_global_due(void);
void hh_note_all_live(void); /* what is held lives, all of it */
extern size_t hh_least_global, hh_least_shared;

extern int hh_checking;
void hh_check_other(domain *, heap *); /* that is nobody's leaf now */
void hh_check(domain *, const char *after, int all); /* check.c; if [hh_checking] */
void hh_forward(void *domain, value, volatile value *); /* trace.c */
void hh_trace_start(domain *, heap *to), hh_trace(domain *);
void hh_note(domain *, value, heap *of); /* if it is in a leaf other than [of] */
int hh_dead(volatile value *);  /* after tracing: unreachable; else, where it is now */
void hh_scan_domain(void *, domain *of, scanning_action);
void hh_scan_c_roots(scanning_action, void *); /* leaf.c */
size_t hh_now_ns(void);

/* {1 The concurrent collection} (cycle.c, mark.c, sweep.c) */

extern int hh_concurrent;
extern _Atomic size_t hh_stage;   /* a domain that has not answered looks up */
extern _Atomic int hh_marking;    /* no pin expires */
extern _Atomic size_t hh_finished; /* the cycle that may be swept for, or 0 */
extern size_t hh_cycle, hh_cycles;
void hh_answer(domain *), hh_step(domain *);
void hh_join_cycle(domain *), hh_leave_cycle(domain *), hh_abandon_cycle(void);
void hh_note_cycle_begins(void), hh_note_cycle_ends(void);
int hh_cycle_due(void);
size_t hh_shared_ever(void), hh_shared_since(void);

static inline int hh_watches(domain *d) {
  return atomic_load_explicit(&hh_marking, memory_order_relaxed) && d->watching;
}
int hh_seen(chunk *, value);
void hh_see(chunk *, value);        /* now; and, before it is swept for, of that cycle: */
void hh_still_see(chunk *, value, size_t cycle);
void hh_shade(greys *, value), hh_shade_new(greys *, chunk *, value);
void hh_shade_again(greys *, chunk *, value); /* even if it was met */
int hh_mark_some(greys *, size_t words);
void hh_scan_private(domain *), hh_scan_leaf(domain *by, heap *), hh_scan_common(domain *);
heap *hh_heap_suspended(size_t i);
void hh_scan_suspended(domain *); /* tasks' heaps that were not scanned: task.c */
void hh_judge(heap *), hh_judge_frozen(void);
void hh_sweep(heap *), hh_sweep_frozen(domain *);
int hh_verify_cycle(domain *); /* check.c: 0 if it has been abandoned */

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
void hh_settle_ephemerons(heap *); /* young ones are old ones */
void hh_rehome_customs(heap *), hh_rehome_ephemerons(domain *, heap *); /* after global ones */
void hh_note_stray_finals(domain *, heap *);
void hh_scan_finals(domain *, heap *, scanning_action, scope);
void hh_take_dead(heap *), hh_take_dead_last(heap *);
void hh_scan_todo(domain *, heap *, scanning_action);

/* {1 Stopping} (stop.c) */

extern _Atomic int hh_stopping; /* somebody wants all to stop */
void hh_stop_world(domain *), hh_start_world(domain *);
void hh_park(domain *);         /* until the world goes on */
void hh_lock_roster(domain *), hh_unlock_roster(void); /* no domain comes or goes */
void hh_interrupt(domain *);    /* any thread: look at what is pending */
int hh_must_look(domain *);
int hh_callbacks_wait(domain *); /* of signals, finalisers, threads */

#endif
