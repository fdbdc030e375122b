/* Domains, their figures and their allocation areas. A part of hh.h.

   The header declares the record of a domain (domain.c), the counters (figures.c) and
   the areas (allocate.c). Only the domain or a holder of the domain's lock writes the
   record. */

#ifndef HH_DOMAIN_H
#define HH_DOMAIN_H

/* {1 Figures} (figures.c). Each domain counts alone, and continues the counts of the
   domain that had the place before. A reader in another domain may get slightly old
   numbers. */

typedef struct domain domain;
typedef struct { size_t count, ns, longest_ns; } pauses;

typedef struct {
  size_t small,            /* bytes allocated in areas, the present area excluded */
      large;               /* bytes allocated in chunks of their own */
  size_t copied,           /* bytes that collections moved */
      promoted;            /* bytes of young objects that became old */
  size_t pinned,           /* bytes ever pinned */
      unpinned;            /* bytes ever unpinned, by expiring or otherwise */
  size_t entangled;        /* the part of [pinned] that stores pinned, not forks or new
                              domains */
  size_t for_good;         /* the part of [entangled] that was pinned permanently */
  size_t publications;     /* stores that pinned at least one object */
  /* [young_chunks] and [pinned_chunks] of a single domain have no meaning: only the
     sums over all domains do. */
  size_t young_chunks,     /* bytes of chunks that are young */
      pinned_chunks;       /* bytes of chunks with a pin */
  size_t refilled;         /* bytes pinned in holes */
  size_t known;            /* bytes known to live and not pinned, in all leaves; only
                              the sum over domains makes sense */
  size_t forced;           /* collections of everything that the program asked for */
  size_t lived_ns;         /* lifetime of the ended domains */
  size_t marked,              /* bytes of shared objects that cycles have marked */
      scanned;             /* bytes of private objects that cycles have scanned */
  size_t looked_at;        /* the part of [marked] that was read: fields and headers */
  size_t swept;            /* bytes that sweeps unpinned */
  pauses young, full, scans, slices;
} figures;

#define hh_read(x) __atomic_load_n(&(x), __ATOMIC_RELAXED)
#define hh_count(x, n) __atomic_store_n(&(x), (x) + (n), __ATOMIC_RELAXED)
/* Counts a major collection in stock's counter, for C code that reads the counter. */
#define hh_count_major() \
  __atomic_fetch_add(&caml_major_cycles_completed, 1, __ATOMIC_RELAXED)

#define hh_total(field) hh_total_at(offsetof(domain, figures.field))

/* {1 Domains} (domain.c) */

typedef struct { value v; int depth; } foreign;

/* The plain chunk of a domain (publish.c): the base, or 0 for no chunk; the maps of
   pins and of depths, or NULL; and the pinned bytes that are not counted yet. */
typedef struct { size_t base; bits *pin; unsigned char *depth; size_t bytes; } plain;

#define SOON 16 /* size of the prefetch ring (prefetch.h) */

struct domain {
  caml_domain_state *state;
  int reserved;         /* the place is taken; protected by the roster's lock */
  _Atomic int in_use;
  pthread_mutex_t lock; /* held while the domain's OCaml code runs */
  heap own;             /* the domain's own heap */
  heap *leaf;           /* the heap that the domain allocates in: [own], or a task's */
  size_t nursery;       /* bytes to allocate between young collections */
  size_t stacks;        /* bytes of the stacks that the last collection scanned */
  size_t scanned_stacks; /* bytes of stacks ever scanned, for any domain */
  heap *to;             /* during a collection: the heap that survivors move to
                           (trace.c) */
    chunk *scan;          /* the chunk whose copies are being scanned */
    char *scanned;        /* copies in [scan] have been scanned up to here */
  greys large_marked;    /* fields of large objects that are still to be scanned */
  HH_VECTOR(value) stay; /* objects marked in place, to be scanned */
  volatile value *soon[SOON]; /* prefetch ring: fields whose values were prefetched */
    unsigned int next_soon; /* the next place in the ring */
  value asked_for[2];    /* the last two values that were prefetched */
  size_t collecting;    /* bytes of the chunks under collection; other domains read */
  int packing;          /* during a full collection: chunks filled now are packed */
  int much_outside;     /* custom blocks hold much outside memory: custom.c */
  int noting;           /* global.c: objects met in other leaves are noted in
                           [elsewhere] */
  HH_VECTOR(foreign) elsewhere; /* objects that other leaves reach, with pin depths */
  HH_VECTOR(struct task *) entered; /* tasks that run here: task.c */
  values pins;          /* stack of objects whose fields publishing has to visit */
  int depth;            /* the depth at which the domain publishes */
  plain plain;          /* the chunk in which a new pin only sets bits: publish.c */
  chunk *plain_chunk;
  value into,           /* the field that a store writes, or 0 */
      stored;           /* the value that the store or hand-over publishes */
  int lowers;           /* the domain is lowering pins; other domains' stores wait */
  _Atomic int storing;  /* a store that depends on depths is under way; lowering waits */
  greys greys;     /* the domain's grey stack: shaded objects (cycle.c) */
  _Atomic size_t stage; /* the last stage answered */
  int watching;    /* shades the values that a store overwrites */
  int has_scanned; /* has been scanned: no longer shades stored values */
  size_t cycle;    /* the last cycle that the domain has watched */
  int young_only;  /* the collection under way is a young one */
    int finalising;  /* a finalisation function is running */
  figures figures;
  size_t began_ns;  /* when the domain began */
  figures told;     /* the figures that runtime events have reported so far */
};

extern domain hh_domains[];
extern CAMLthread_local domain *hh_self;
#define hh_max_domains ((int)caml_params->max_domains)
extern _Atomic int hh_places; /* the places ever used are the first so many */
#define each_domain(x)                                                   \
  for (int i_ = 0; i_ < hh_max_domains; i_++)                            \
    for (domain *x = &hh_domains[i_]; x && x->in_use; x = NULL)
void hh_first_domain(void);
void hh_enter(domain *); /* makes the calling thread the domain, and takes its lock;
                            call with the roster locked */
void hh_leave(domain *);
void hh_thread_is_over(void); /* call in a thread whose domain has left */

static inline void hh_set_young(chunk *c, int young) {
  if (c->young == young) return;
  c->young = young;
  hh_count(hh_self->figures.young_chunks, young ? c->bytes : -c->bytes);
}

/* {1 Areas} (allocate.c) */

/* The bytes of the shortest hole that is used for allocation. */
#define LEAST_HOLE ((size_t)1024)
/* The greatest combined allocation of OCaml code fits. */
#define LEAST_AREA ((size_t)4096)
static inline int hh_room_for(caml_domain_state *s, size_t words) {
  return (size_t)(s->young_ptr - s->young_start) >= words;
}

#endif
