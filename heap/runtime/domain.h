/* Domains, their figures and areas. A part of hh.h. */

#ifndef HH_DOMAIN_H
#define HH_DOMAIN_H

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
  size_t young_chunks, pinned_chunks; /* bytes; summed up over all domains they make
                              sense. Of chunks in which something is pinned */
  size_t refilled;         /* bytes pinned in holes */
  size_t known;            /* so too: to live, and not pinned, in all leaves */
  size_t forced;           /* collections of everything that were asked for */
  size_t lived_ns;         /* of domains that ended */
  size_t met, scanned;     /* bytes that cycles have met: shared; private */
  size_t looked_at;        /* of what was met: fields and headers */
  size_t swept;            /* that were unpinned then */
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

/* Of a chunk: where it begins, or 0; its maps of pins and of depths, or NULL; and bytes that
   have been pinned there, and are not counted yet. */
typedef struct { size_t base; bits *pin; unsigned char *depth; size_t bytes; } plain;

#define SOON 16 /* soon.h */

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
  greys large_marked;    /* fields that are still to be scanned */
  HH_VECTOR(value) stay; /* marked in their place, to be scanned */
  volatile value *soon[SOON]; /* fields; what is in them has been asked for */
  unsigned int next_soon;
  value asked_for[2];    /* last */
  size_t collecting;    /* bytes of what is being copied; others read it */
  int packing;          /* a full collection: what it fills is packed */
  int much_outside;     /* hangs on blocks, since the last full collection: custom.c */
  int noting;           /* global.c: what is met in other leaves goes to */
  HH_VECTOR(foreign) elsewhere; /* what others have of a leaf, and for which fork */
  HH_VECTOR(struct task *) entered; /* tasks that run here: task.c */
  values pins;          /* publish's stack */
  int depth;            /* at which it publishes */
  plain plain;          /* where it pins at the moment, if that is simple: publish.c */
  chunk *plain_chunk;
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
void hh_enter(domain *); /* the calling thread is it, and has its lock; the roster locked */
void hh_leave(domain *);
void hh_thread_is_over(void); /* of one that has left */

static inline void hh_set_young(chunk *c, int young) {
  if (c->young == young) return;
  c->young = young;
  hh_count(hh_self->figures.young_chunks, young ? c->bytes : -c->bytes);
}
int hh_processors(void);

/* {1 Areas} (allocate.c) */

/* No shorter hole is used. */
#define LEAST_HOLE ((size_t)1024)
int hh_has_holes(chunk *); /* worth looking for */
/* Any combined allocation of OCaml code fits. */
#define LEAST_AREA ((size_t)4096)
extern size_t hh_nursery_bytes, hh_least_old;
void hh_set_nursery(domain *); /* at its collections: by what its stacks are then */
void hh_refuse(domain *);      /* memory: all is collected soon */
chunk *hh_young_chunk(domain *, size_t bytes); /* NULL: no memory */
void hh_large_area(domain *, size_t least); /* of so many bytes */
static inline int hh_room_for(caml_domain_state *s, size_t words) {
  return (size_t)(s->young_ptr - s->young_start) >= words;
}
void hh_new_area(domain *);    /* the young pointers, to somewhere fresh */
void hh_leave_area(domain *);  /* there is none then: before a collection */
void hh_keep_area(domain *), hh_take_area(domain *); /* when its leaf changes */

#endif
