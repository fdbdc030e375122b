/* Making and freeing chunks.

   All heaps call [hh_new_chunk] and [hh_free_chunk], from any thread; the list
   functions serve any owner of a list. No function here reads an object.

   A chunk has 256 KiB, or as many bytes as a large object needs. A freed chunk is kept
   with its memory for the next caller, as long as all spare chunks together have at
   most [most_spare] bytes. Otherwise a loop that makes a large array at each step
   would fault all its pages in at each step. Chunks beyond that go back to the system,
   and their addresses are used again (address.c).

   The table [hh_chunk_at] is written under [lock] before any value of the chunk
   exists. Readers need no lock: a domain gets a value of the chunk only afterwards. */

#include "hh.h"
#include <stdlib.h>
#include <sys/mman.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static size_t ever; /* greater than every chunk number so far */
static size_t held, most_held;

/* Spare chunks, with memory and arbitrary contents. [spare] has chunks of 256 KiB,
   last freed first; [long_spares] has longer chunks, first freed first. */
static chunk *spare;
static chunks long_spares;
static size_t spare_bytes;
static const size_t most_spare = (size_t)64 << 20;

static void keep(chunk *c) {
  spare_bytes += c->bytes;
  if (c->bytes > CHUNK_BYTES) {
    hh_add_chunk(&long_spares, c);
    return;
  }
  c->next = spare;
  spare = c;
}

static void release(chunk *c) {
  madvise(c->base, c->bytes, MADV_DONTNEED);
  hh_give_back(c);
}

static void unlink_long(chunk *c) {
  chunk *before = NULL;
  for (chunk *x = long_spares.first; x != c; x = x->next) before = x;
  if (before) before->next = c->next; else long_spares.first = c->next;
  if (!c->next) long_spares.last = before;
  long_spares.bytes -= c->bytes;
  spare_bytes -= c->bytes;
}

/* Takes the shortest spare chunk of at least [bytes] and less than twice that, and
   releases the part beyond [bytes]. */
static chunk *take_long(size_t bytes) {
  chunk *best = NULL, *rest = NULL;
  for (chunk *c = long_spares.first; c; c = c->next)
    if (c->bytes >= bytes && c->bytes < 2 * bytes && (!best || c->bytes < best->bytes))
      best = c;
  if (!best || (best->bytes > bytes && !(rest = hh_record()))) return NULL;
  unlink_long(best);
  if (rest) {
    rest->base = best->base + bytes;
    rest->bytes = best->bytes - bytes;
    best->bytes = bytes;
    release(rest);
  }
  return best;
}

/* Takes the end of the long spare chunk that was freed first: no caller may ever want
   a chunk of that length again. */
static chunk *take_end_of_long(void) {
  chunk *c = long_spares.first, *end = c ? hh_record() : NULL;
  if (!end) return NULL;
  unlink_long(c);
  c->bytes -= CHUNK_BYTES;
  end->base = c->base + c->bytes;
  end->bytes = CHUNK_BYTES;
  spare_bytes += c->bytes;
  if (c->bytes > CHUNK_BYTES) hh_add_chunk_first(&long_spares, c);
  else {
    c->next = spare;
    spare = c;
  }
  return end;
}

static chunk *take_spare(size_t bytes) {
  chunk *c = spare;
  if (bytes > CHUNK_BYTES) return take_long(bytes);
  if (!c) return take_end_of_long();
  spare = c->next;
  spare_bytes -= c->bytes;
  return c;
}

/* Releases spare chunks until at most [most] bytes are left: long chunks while long
   chunks have more than half of [most] bytes, then short chunks. */
static void release_spares(size_t most) {
  while (spare_bytes > most) {
    chunk *c = long_spares.first;
    if (long_spares.bytes > most / 2) unlink_long(c);
    else c = take_spare(CHUNK_BYTES);
    release(c);
  }
}

/* Under the verifier, no address is used twice while unused addresses are left. The
   verifier thus finds pointers to where a chunk was. */
static chunk *retired;

static chunk *take_retired(size_t bytes) {
  while (retired) {
    chunk *c = retired;
    retired = c->next;
    hh_give_back(c);
  }
  return hh_take_bare(bytes);
}

/* Releases all spare chunks: their addresses side by side may suffice. */
static chunk *take_released(size_t bytes) {
  release_spares(0);
  return hh_take_bare(bytes);
}

/* 1 if the system would refuse so much memory. The range of addresses was reserved
   without a claim to memory; the system would end the program at the first access to
   the memory, so the allocation is refused here. */
static int too_much(size_t bytes) {
  if (bytes < (size_t)64 << 20) return 0;
  void *p = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (p == MAP_FAILED) return 1;
  munmap(p, bytes);
  return 0;
}

chunk *hh_new_chunk(heap *h, size_t bytes) {
  size_t n = (bytes + CHUNK_BYTES - 1) >> CHUNK_LOG;
  if (too_much(bytes)) return NULL;
  pthread_mutex_lock(&lock);
  chunk *c = take_spare(n << CHUNK_LOG);
  if (!c) c = hh_take_bare(n << CHUNK_LOG);
  if (!c && retired) c = take_retired(n << CHUNK_LOG);
  if (!c && spare_bytes > 0) c = take_released(n << CHUNK_LOG);
  if (c) {
    c->bytes = n << CHUNK_LOG;
    c->heap = h;
    c->pin = NULL;
    c->depth = NULL;
    c->all = c->same = c->lowered = 0;
    c->mark_bits = NULL;
    c->mark_bits_in = c->all_marked_in = 0;
    c->judged = c->mixed = 0;
    c->pinned = c->expired = 0;
    c->noted = 0;
    c->marks = NULL;
    c->fill = c->hole = c->base;
    c->next = NULL;
    c->young = c->large = c->from = c->marked = c->packed = 0;
    for (size_t i = 0; i < n; i++) hh_chunk_at[hh_number(c->base) + i] = c;
    if (ever < hh_number(c->base) + n) ever = hh_number(c->base) + n;
    held += c->bytes;
    if (held > most_held) most_held = held;
  }
  pthread_mutex_unlock(&lock);
  return c;
}

void hh_free_chunk(chunk *c) {
  free(c->pin);
  free(c->depth);
  free(c->marks);
  free(c->mark_bits);
  c->mark_bits = NULL;
  c->pin = NULL;
  c->heap = NULL; /* tells a heap whose level still lists the record */
  pthread_mutex_lock(&lock);
  held -= c->bytes;
  size_t n = c->bytes >> CHUNK_LOG;
  for (size_t i = 0; i < n; i++) hh_chunk_at[hh_number(c->base) + i] = NULL;
  if (hh_checking) {
    madvise(c->base, c->bytes, MADV_DONTNEED);
    c->next = retired;
    retired = c;
  } else if (c->bytes > most_spare) {
    release(c);
  } else {
    keep(c);
    release_spares(most_spare);
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

size_t hh_chunks_ever(void) { return ever; }
size_t hh_held(void) { return held; }
size_t hh_most_held(void) { return most_held; }
