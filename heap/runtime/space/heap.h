/* The record of a heap. A part of hh.h.

   The header declares the struct [heap], the shared heap, the pool, and the operations
   on whole heaps: freeze, adopt, merge (heap.c) and those of the pool (pool.c). No
   file may touch the lists of a heap that another domain owns, unless the world is
   stopped. */

#ifndef HH_HEAP_H
#define HH_HEAP_H

/* {1 Heaps} (heap.c) */

/* A custom block, with its outside memory as the fraction [mem] of [max]. */
typedef struct { value block; mlsize_t mem, max; } custom;
typedef HH_VECTOR(custom) customs;
/* A finaliser: [fun] is to be applied to [val] + [offset]. */
typedef struct { value fun, val; int offset; } final;
typedef HH_VECTOR(final) final_list;
typedef struct { char *low, *high; } stretch;
typedef HH_VECTOR(value) values;
typedef HH_VECTOR(chunk *) level;

/* How many bytes a heap is known to need, from its last full collection. */
typedef struct {
  size_t left, /* survived the last full collection */
      merged,  /* lived in the heaps merged since */
      largest, /* the largest share of [merged] that came from a single heap */
      known,   /* in chunks without a pin, merged heaps included */
      pinned,  /* pinned objects within [left], without the gaps between them */
      expired; /* pinned bytes that merged heaps brought; their forks have joined */
  int depth;   /* the heap's fork depth at the last full collection */
} lived;

/* A bulk pin ([apart]): chunks pinned as a whole until the join of [depth]. */
typedef struct {
  int depth;
  chunks old;
  lived live;  /* the heap's [live] when the chunks were pinned */
  size_t kept; /* bytes neither pinned nor in [live.known]; counted as known */
} apart;

/* An entry of a grey stack: a shared object, marked; the fields from [from] on are
   still to be traced. */
typedef struct { value object; mlsize_t from; } grey;
typedef HH_VECTOR(grey) greys;

struct task;
struct domain;

typedef struct heap {
  int frozen;        /* 1: the shared heap or the pool; 0: a local heap ([leaf]) */
  struct task *task; /* the task that owns the heap; NULL: a domain owns the heap */
  int entered;       /* some domain allocates here at the moment */
  int depth;         /* the task's level, and one more for each open fork (task.c) */
  HH_VECTOR(int) closed;  /* levels of forks that joined before deeper, later forks */
  _Atomic int disordered; /* a fork joined in a wrong heap: no pin expires any more */
  level *levels;   /* by depth: chunks with pins of that depth; NULL: none yet */
  chunks young;    /* allocated in since the last collection */
  chunks old;      /* survivors, copied by collections, and large objects */
  chunks holed;    /* only pinned objects are left; allocation goes on in the holes */
  HH_VECTOR(apart) apart; /* bulk pins, each until the join of its depth */
  int hands_much;  /* a fork has bulk-pinned the heap; the next forks probably will too */
  /* Objects of bulk-pinned chunks that got a less deep pin of their own. Any domain
     pushes while lowering (lowering.c). */
  values lowered;
  chunk *open;     /* the chunk of [old] that survivors are copied to, or NULL */
  stretch area;    /* rest of the allocation area, while no domain allocates here */
  chunk *area_chunk; /* the chunk of [area], if further holes may follow; else NULL */
  /* Free stretches to be used before any hole: areas of merged heaps, and holes that
     were too small for the last request. */
  HH_VECTOR(stretch) spares;
  size_t grown;    /* bytes of areas given out since the last collection */
  lived live;      /* about [old] */
  size_t loose;    /* bytes of [holed] chunks in which every pin has expired */
  size_t unchecked; /* bytes given out since the verifier ran */
  size_t since;    /* bytes given out from the last full collection to the last one */
  /* Indexed by packing. 1: of the objects in chunks newly filled in this way, many had
     died by the last full collection. The next full collection copies such chunks. */
  int fading[PROVEN];
  HH_VECTOR(value *) remembered; /* remembered set: old fields that hold young objects */
  customs young_customs, old_customs; /* custom blocks to be finalised */
  values young_ephemerons, old_ephemerons;
  final_list first, last; /* Gc.finalise, Gc.finalise_last */
  size_t first_old, last_old; /* the first so many entries of these lists are old */
  final_list todo;        /* finalisation functions to be called */
  struct domain *scanned_by; /* the domain that is scanning the heap now (scan.c) */
  size_t scanned_in,      /* the last cycle that scanned the heap */
      swept_for;          /* the last cycle that the heap was swept for */
  size_t weak_processed; /* stage that last processed weak pointers and finalisers */
} heap;

extern heap hh_frozen; /* the shared heap */
extern pthread_mutex_t hh_frozen_lock; /* protects [hh_frozen] and [hh_pool] */

void hh_freeze(heap *); /* moves a local heap into the shared heap; O(chunks) */
void hh_adopt(heap *);  /* moves the shared heap into the only local heap */
void hh_merge(heap *to, heap *from);
size_t hh_bytes(heap *);
size_t hh_live(lived *); /* estimate of the bytes that live */
void hh_add_live(lived *to, lived *);
lived hh_faded(lived, int depth); /* the estimate for a heap whose depth is now [depth] */
void hh_set_live(heap *, lived);

#endif
