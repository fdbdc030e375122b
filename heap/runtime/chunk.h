/* Chunks of addresses, and what is said of the objects in them. A part of hh.h. */

#ifndef HH_CHUNK_H
#define HH_CHUNK_H

/* {1 Chunks} (address.c, chunk.c) */

#define CHUNK_LOG 18
#define CHUNK_BYTES ((size_t)1 << CHUNK_LOG)

struct heap;

/* Objects do not lie side by side in it, or many have died; young collections have put
   them there, or a full one has; or one has found nearly all alive, and moved none. */
enum packing { SPARSE, FILLED, PACKED, PROVEN };

/* What others look up when they have a value of it comes first, in a cache line that its
   owner seldom writes. */
typedef struct chunk {
  _Alignas(Cache_line_bsize) char *base;
  struct heap *heap;  /* whose it is */
  bits *pin;          /* a bit for each word, 1 if pinned; NULL: none is. Of a large
                         object, which is pinned then: no more than that */
  unsigned char *depth; /* a byte for each word: how deep, if it is pinned */
  bits *seen;         /* in a cycle: a bit for each word of what was met; seen.h */
  size_t seen_in;     /* in which cycle */
  size_t met_in;      /* the cycle for which all of it is met: it was new, and who took
                         it had been scanned */
  unsigned char all;  /* if not 0, all that is in it is pinned, at most as deep */
  unsigned char same; /* how deep all that is pinned is, if [depth] is NULL */
  unsigned char young, large, from, marked;
  unsigned char lowered;  /* something in it was, by another domain */
  unsigned char judged;   /* what it has that was pinned before, and is not met, is dead */
  size_t bytes;       /* CHUNK_BYTES, or more for one large object */
  bits *marks;        /* of headers that stay, where the last full collection moved
                         nothing; else NULL: all up to [fill] lived then */
  size_t pinned;      /* bytes of what is */
  size_t expired;     /* of these, of what is private again */
  size_t kept;        /* bytes that the last collection found alive */
  char *fill;         /* old ones: allocated up to here */
  char *hole;         /* holed ones: where to look for the next hole */
  struct chunk *next; /* in the list of its heap */
  uint64_t noted;     /* a bit for each depth whose level has it */
  unsigned char packed;   /* what is in it, by what filled it: enum packing */
  unsigned char mixed;    /* was apart: in it what is not pinned may live too */
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

static inline size_t hh_number(char *base) { return (size_t)(base - hh_space) >> CHUNK_LOG; }

void hh_init_space(void);
chunk *hh_record(void);              /* that describes nothing; NULL: no memory */
chunk *hh_take_bare(size_t bytes);   /* addresses that nobody uses; or NULL */
void hh_give_back(chunk *);          /* it has no memory any more */
int hh_room_beside(size_t bytes);
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

#endif
