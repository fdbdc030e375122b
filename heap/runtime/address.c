/* Addresses and chunks.

   All heaps live in one range of addresses, reserved once and never given back,
   so that one subtraction tells whether a value is ours and one look-up which
   chunk it is in. A chunk is 256 KiB, or as much as one large object needs. Those
   of 256 KiB are kept for the next who asks, at most [most_spare] of them with
   their memory; what more is freed goes back to the system, and its addresses are
   used again.

   The table [hh_chunk_at] is written under [lock] before any value of the chunk
   exists, and read without: whoever has a value got it after. */

#include "hh.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

char *hh_space;
chunk **hh_chunk_at;

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static size_t next_fresh; /* number of the first chunk never used */
static size_t held, most_held;

/* Of one chunk, all of them zero but for what they hold by accident: [spare] has
   its memory, [bare] has not. Free runs of more are split into these. */
static chunk *spare, *bare;
static size_t spares;
static const size_t most_spare = 64;

void *hh_grow(void *at, size_t *room, size_t element) {
  size_t more = *room ? 2 * *room : 64;
  at = realloc(at, more * element);
  if (!at) caml_fatal_error("heap: out of memory");
  *room = more;
  return at;
}

static void *reserve(size_t bytes) {
  void *p = mmap(NULL, bytes, PROT_READ | PROT_WRITE,
                 MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (p == MAP_FAILED)
    caml_fatal_error("heap: cannot reserve %zu GiB of addresses (ulimit -v?)",
                     bytes >> 30);
  return p;
}

void hh_init_space(void) {
  size_t p = (size_t)reserve(SPACE_BYTES + CHUNK_BYTES);
  hh_space = (char *)((p + CHUNK_BYTES - 1) & ~(CHUNK_BYTES - 1));
  hh_chunk_at = reserve((SPACE_BYTES >> CHUNK_LOG) * sizeof *hh_chunk_at);
}

static size_t number(char *base) { return (size_t)(base - hh_space) >> CHUNK_LOG; }

static chunk *take_spare(void) {
  chunk *c = spare;
  if (c) { spare = c->next; spares--; return c; }
  c = bare;
  if (c) bare = c->next;
  return c;
}

static chunk *fresh(size_t chunks) {
  if (next_fresh + chunks > SPACE_BYTES >> CHUNK_LOG) return NULL;
  chunk *c = calloc(1, sizeof *c);
  if (!c) return NULL;
  c->base = hh_space + (next_fresh << CHUNK_LOG);
  next_fresh += chunks;
  return c;
}

chunk *hh_new_chunk(heap *h, size_t bytes) {
  size_t n = (bytes + CHUNK_BYTES - 1) >> CHUNK_LOG;
  pthread_mutex_lock(&lock);
  chunk *c = n == 1 ? take_spare() : NULL;
  if (!c) c = fresh(n);
  if (c) {
    c->bytes = n << CHUNK_LOG;
    c->heap = h;
    c->pin = NULL;
    c->depth = NULL;
    c->pinned = c->expired = 0;
    c->marks = NULL;
    c->fill = c->hole = c->base;
    c->next = NULL;
    c->young = c->large = c->from = c->marked = c->packed = 0;
    for (size_t i = 0; i < n; i++) hh_chunk_at[number(c->base) + i] = c;
    held += c->bytes;
    if (held > most_held) most_held = held;
  }
  pthread_mutex_unlock(&lock);
  return c;
}

/* A run's further chunks get a record of their own; without memory for it their
   addresses are lost. */
static void to_bare(char *base, chunk *record) {
  if (!record) record = calloc(1, sizeof *record);
  if (!record) return;
  record->base = base;
  record->next = bare;
  bare = record;
}

void hh_free_chunk(chunk *c) {
  free(c->pin);
  free(c->depth);
  free(c->marks);
  pthread_mutex_lock(&lock);
  held -= c->bytes;
  size_t n = c->bytes >> CHUNK_LOG;
  for (size_t i = 0; i < n; i++) hh_chunk_at[number(c->base) + i] = NULL;
  if (n == 1 && spares < most_spare) {
    c->next = spare;
    spare = c;
    spares++;
  } else {
    char *base = c->base;
    madvise(base, c->bytes, MADV_DONTNEED);
    for (size_t i = n; i-- > 1;) to_bare(base + (i << CHUNK_LOG), NULL);
    to_bare(base, c);
  }
  pthread_mutex_unlock(&lock);
}

void hh_clear_marks(chunk *c) {
  free(c->marks);
  c->marks = NULL;
}

void hh_add_chunk(chunks *l, chunk *c) {
  c->next = NULL;
  if (l->last) l->last->next = c; else l->first = c;
  l->last = c;
  l->bytes += c->bytes;
}

void hh_add_chunk_first(chunks *l, chunk *c) {
  c->next = l->first;
  l->first = c;
  if (!l->last) l->last = c;
  l->bytes += c->bytes;
}

void hh_join_chunks(chunks *to, chunks *from) {
  if (!from->first) return;
  if (to->last) to->last->next = from->first; else to->first = from->first;
  to->last = from->last;
  to->bytes += from->bytes;
  *from = (chunks){NULL, NULL, 0};
}

size_t hh_chunks_ever(void) { return next_fresh; }
size_t hh_held(void) { return held; }
size_t hh_most_held(void) { return most_held; }
