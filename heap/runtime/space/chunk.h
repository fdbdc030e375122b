/* Chunks of addresses, and the state of the objects in them. A part of hh.h.

   The header declares the record of a chunk and the functions that make, free and list
   chunks (address.c, chunk.c). Any thread may call [chunk_of]. The owner of the heap
   writes the fields of a chunk, unless the comment of a field names another writer. */

#ifndef HH_CHUNK_H
#define HH_CHUNK_H

/* {1 Chunks} (address.c, chunk.c) */

#define CHUNK_LOG 18
#define CHUNK_BYTES ((size_t)1 << CHUNK_LOG)

struct heap;

/* How the objects of a chunk came there. */
enum packing {
  SPARSE, /* objects do not lie side by side, or many have died */
  FILLED, /* young collections copied survivors there */
  PACKED, /* a full collection copied survivors there */
  PROVEN  /* a full collection found nearly all objects alive, and moved none */
};

/* Every domain that looks a value up reads the first fields. The first fields share a
   cache line, which the owner seldom writes. */
typedef struct chunk {
  _Alignas(Cache_line_bsize) char *base;
  struct heap *heap;  /* the heap that owns the chunk */
  /* Pin map: a bit for each word, 1 if the word's object is pinned; NULL: no pin. The
     map of a large object is a single unit: the object is pinned if the map exists. */
  bits *pin;
  unsigned char *depth; /* a byte for each word: the pin depth; NULL: see [same] */
  bits *mark_bits;         /* mark bitmap of a cycle, a bit for each word (mark_bits.h) */
  size_t mark_bits_in;     /* the cycle that [mark_bits] belongs to */
  /* The cycle for which the whole chunk counts as marked: a domain that was already
     scanned took the chunk fresh. */
  size_t all_marked_in;
  unsigned char all;  /* bulk pin: every object is pinned, at most this deep; 0: none */
  unsigned char same; /* pin depth of every pinned object, if [depth] is NULL */
  unsigned char young, large, from, marked;
  unsigned char lowered;  /* another domain has lowered a pin in the chunk */
  /* The present cycle decides about the chunk: an object that was pinned before and is
     not marked at the end is dead. */
  unsigned char judged;
  size_t bytes;       /* CHUNK_BYTES, or more for a large object */
  /* Mark bits of headers, if the last full collection moved nothing in the chunk.
     NULL: every object up to [fill] lived then. */
  bits *marks;
  size_t pinned;      /* bytes of pinned objects */
  size_t expired;     /* bytes within [pinned] whose pins have expired */
  size_t kept;        /* bytes that the last collection found alive */
  char *fill;         /* old chunks: allocated up to here */
  char *hole;         /* holed chunks: where the search for the next hole begins */
  struct chunk *next; /* in the list of its heap */
  uint64_t noted;     /* bit n: the heap's level n lists the chunk */
  unsigned char packed;   /* enum packing */
  unsigned char mixed;    /* was bulk-pinned: unpinned objects may live there too */
} chunk;

typedef struct { chunk *first, *last; size_t bytes; } chunks;

extern char *hh_space;       /* the reserved addresses */
extern chunk **hh_chunk_at;  /* indexed by [hh_number] */
#define SPACE_BYTES ((size_t)1 << 38) /* reserved; less under ulimit */
#define LEAST_SPACE_BYTES ((size_t)1 << 26) /* the program stops below */

/* The chunk of a value; NULL for static data and for memory of C. Any thread may call. */
static inline chunk *chunk_of(value v) {
  size_t offset = (size_t)v - (size_t)hh_space;
  return offset < SPACE_BYTES ? hh_chunk_at[offset >> CHUNK_LOG] : NULL;
}

static inline size_t hh_number(char *base) { return (size_t)(base - hh_space) >> CHUNK_LOG; }

chunk *hh_new_chunk(struct heap *, size_t bytes); /* NULL: no memory; any thread */
void hh_free_chunk(chunk *);                      /* any thread */
void hh_add_chunk(chunks *, chunk *);       /* adds at the end */
void hh_add_chunk_first(chunks *, chunk *);
void hh_clear_marks(chunk *);
void hh_join_chunks(chunks *to, chunks *from); /* empties [from]; O(1) */
size_t hh_held(void), hh_most_held(void);      /* bytes of chunks; any thread */
size_t hh_chunks_ever(void); /* above every chunk number so far; the world stopped */

/* The colour marks a block of tag Abstract as an ephemeron. */
#define EPHEMERON_COLOUR ((header_t)2 << HEADER_COLOR_SHIFT)
static inline int is_ephemeron(value v) {
  header_t h = Hd_val(v);
  return Tag_hd(h) == Abstract_tag && Color_hd(h) == EPHEMERON_COLOUR;
}

/* The colour of a block that begins on a cache line, also after a copy. */
#define ALIGNED_COLOUR ((header_t)1 << HEADER_COLOR_SHIFT)

/* The colour of the filler before an aligned block. A walk over the chunk treats the
   filler as an object; a census does not count the filler. */
#define GAP_COLOUR ((header_t)3 << HEADER_COLOR_SHIFT)

#endif
