/* Heaps: what each has. A part of hh.h. */

#ifndef HH_HEAP_H
#define HH_HEAP_H

/* {1 Heaps} (heap.c) */

typedef struct { value block; mlsize_t mem, max; } custom;
typedef HH_VECTOR(custom) customs;
typedef struct { value fun, val; int offset; } final;
typedef HH_VECTOR(final) final_list;
typedef struct { char *low, *high; } stretch;
typedef HH_VECTOR(value) values;
typedef HH_VECTOR(chunk *) level;
/* Bytes: what the last full collection has left, what heaps had that were merged since, and
   the largest of these; of both what was not pinned; what the former had that was, without
   the gaps between, and how deep the heap was then; and what the latter had. */
typedef struct { size_t left, merged, largest, known, pinned, expired; int depth; } lived;
/* [kept]: bytes of what is there, not pinned and not known to live. */
typedef struct { int depth; chunks old; lived live; size_t kept; } apart;

/* Of an object that is shared, and met; its fields from there on are to be traced. */
typedef struct { value object; mlsize_t from; } grey;
typedef HH_VECTOR(grey) greys;

struct task;
struct domain;

typedef struct heap {
  int frozen;        /* shared by all; else a leaf */
  struct task *task; /* whose it is; NULL: a domain's own */
  int entered;       /* by a domain: it is its leaf */
  int depth;         /* of the joins that its task has open: task.c */
  HH_VECTOR(int) closed;  /* levels of joins that came before those of later forks */
  _Atomic int disordered; /* some came elsewhere: nothing expires any more */
  level *levels;     /* a task's: where something is pinned, by depth; NULL: nowhere */
  chunks young;    /* allocated in since the last collection */
  chunks old;      /* what survived, by copying, and large objects */
  chunks holed;    /* where only pinned objects are left */
  HH_VECTOR(apart) apart; /* whole chunks, pinned until the join of that depth */
  int hands_much;         /* a fork of its has set it apart, and will again */
  values lowered;         /* what was pinned less deep there; by who lowers */
  chunk *open;     /* the one of [old] that is being filled, or NULL */
  stretch area;    /* the rest of the young area, while nobody allocates there */
  chunk *area_chunk; /* where that lies, if it may have further holes */
  HH_VECTOR(stretch) spares; /* of heaps that were merged into this one; and holes
                                passed over: to be used before others */
  size_t grown;    /* bytes of young areas given out since the last collection */
  lived live;      /* of [old] */
  size_t loose;    /* bytes of chunks in which all that was pinned has expired since */
  size_t unchecked; /* given out since it was last checked */
  size_t since;    /* given out from the last full collection to the last one */
  int fading[PROVEN]; /* much of what was new, and packed so, has died: the next is copied */
  HH_VECTOR(value *) remembered; /* fields of old objects that point to young */
  customs young_customs, old_customs; /* to be finalised */
  values young_ephemerons, old_ephemerons;
  final_list first, last; /* Gc.finalise, Gc.finalise_last */
  size_t first_old, last_old; /* of them, from the beginning: known to be old */
  final_list todo;        /* finalisation functions to be called */
  struct domain *scanned_by; /* who is scanning it now: scan.c */
  size_t scanned_in, swept_for; /* cycles */
  size_t tended;                /* in which stage of one, the last time: told.c */
} heap;

extern heap hh_frozen;
extern pthread_mutex_t hh_frozen_lock; /* of hh_frozen, and of merging with it */

/* Chunks that anybody may take who needs room (pool.c); with [hh_frozen_lock]. */
extern heap hh_pool;
void hh_give_to_pool(heap *leaf);       /* it has just been collected */
chunk *hh_take_from_pool(heap *leaf);   /* which has it then; or NULL */
void hh_note_pooled(void);              /* it has been swept, or emptied */
size_t hh_pooled(void);                 /* bytes that are free there; any thread */

void hh_freeze(heap *);   /* all of it becomes everybody's; O(chunks) */
void hh_adopt(heap *);    /* alone again: what is frozen is ours */
void hh_merge(heap *to, heap *from);
size_t hh_bytes(heap *);
size_t hh_live(lived *); /* about so many bytes do */
void hh_add_live(lived *to, lived *);
lived hh_faded(lived, int depth); /* as who is at that depth has to see it */
void hh_set_live(heap *, lived);

#endif
