/* The range of addresses in which all heaps lie.

   The range is reserved once and never given back, so a subtraction tells whether a
   value lies in a heap, and a look-up finds its chunk. Here are the unused stretches
   of the range. Records of chunks are used again, never freed: a domain that has a
   value of the chunk may look at any time. */

#include "hh.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

char *hh_space;
static size_t space_bytes;
chunk **hh_chunk_at;

/* Unused stretches of addresses, no two side by side. A stretch of 0 bytes was merged
   into its neighbour. [bare_at] has each stretch at the numbers of its first and its
   last chunk. */
static chunk *bare, **bare_at;
static chunk *records; /* unused records */

/* {1 The range} */

static void *reserve(size_t bytes) {
  void *p = mmap(NULL, bytes, PROT_READ | PROT_WRITE,
                 MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  return p == MAP_FAILED ? NULL : p;
}

/* Reserves a table, without large pages: the table is used a word here and there, and
   a large page for each would be a waste. */
static void *reserve_table(size_t bytes) {
  void *p = reserve(bytes);
  if (p) madvise(p, bytes, MADV_NOHUGEPAGE);
  return p;
}

/* Reserves as much as the process's limits allow (ulimit -v, -d). Under a limit the
   range is half of that, to leave room for the rest of the program. */
static char *reserve_space(size_t *bytes) {
  void *p;
  for (*bytes = SPACE_BYTES; *bytes >= LEAST_SPACE_BYTES; *bytes /= 2)
    if ((p = reserve(*bytes + CHUNK_BYTES))) break;
  if (*bytes == SPACE_BYTES) return p;
  if (*bytes >= 2 * LEAST_SPACE_BYTES) {
    munmap(p, *bytes + CHUNK_BYTES);
    *bytes /= 2;
    p = reserve(*bytes + CHUNK_BYTES);
  }
  if (*bytes < LEAST_SPACE_BYTES || !p)
    caml_fatal_error("heap: cannot reserve %zu MiB of addresses (ulimit -v, -d?)",
                     LEAST_SPACE_BYTES >> 20);
  return p;
}

chunk *hh_record(void) {
  chunk *c = records;
  if (c) records = c->next;
  else if ((c = aligned_alloc(Cache_line_bsize, sizeof *c))) *c = (chunk){0};
  return c;
}

static void forget(chunk *c) {
  c->next = records;
  records = c;
}

static void tell_ends(chunk *c, chunk *told) {
  bare_at[hh_number(c->base)] = told;
  bare_at[hh_number(c->base + c->bytes) - 1] = told;
}

void hh_init_space(void) {
  size_t bytes, p = (size_t)reserve_space(&bytes);
  hh_space = (char *)((p + CHUNK_BYTES - 1) & ~(CHUNK_BYTES - 1));
  hh_chunk_at = reserve_table((SPACE_BYTES >> CHUNK_LOG) * sizeof *hh_chunk_at);
  bare_at = reserve_table(((SPACE_BYTES >> CHUNK_LOG) + 1) * sizeof *bare_at);
  bare = hh_record();
  if (!hh_chunk_at || !bare_at || !bare) caml_fatal_error("heap: out of memory");
  bare->base = hh_space;
  bare->bytes = space_bytes = bytes;
  tell_ends(bare, bare);
}

/* 1 if an object of so many bytes may be made. A collection needs chunks and cannot
   be refused them. Therefore objects are refused while a part of the range is still
   left: a sixteenth, at most 32 MiB. */
int hh_room_beside(size_t bytes) {
  size_t rest = space_bytes / 16, most = (size_t)32 << 20;
  return hh_held() + bytes + (rest < most ? rest : most) <= space_bytes;
}

/* {1 Stretches of addresses} */

static chunk *cut(chunk **at, size_t bytes) {
  chunk *whole = *at, *c = whole;
  if (whole->bytes > bytes && !(c = hh_record())) return NULL;
  tell_ends(whole, NULL);
  if (c == whole) {
    *at = whole->next;
    return c;
  }
  c->base = whole->base;
  whole->base += bytes;
  whole->bytes -= bytes;
  tell_ends(whole, whole);
  return c;
}

chunk *hh_take_bare(size_t bytes) {
  for (chunk **at = &bare, *c; (c = *at);)
    if (c->bytes == 0) {
      *at = c->next;
      forget(c);
    } else if (c->bytes >= bytes)
      return cut(at, bytes);
    else
      at = &c->next;
  return NULL;
}

void hh_give_back(chunk *c) {
  size_t first = hh_number(c->base);
  chunk *before = first > 0 ? bare_at[first - 1] : NULL;
  chunk *after = bare_at[hh_number(c->base + c->bytes)];
  if (before) tell_ends(before, NULL);
  if (after) tell_ends(after, NULL);
  if (!before && !after) {
    c->next = bare;
    bare = c;
    tell_ends(c, c);
    return;
  }
  chunk *whole = before ? before : after;
  if (!before) after->base = c->base;
  whole->bytes += c->bytes;
  if (before && after) {
    before->bytes += after->bytes;
    after->bytes = 0;
  }
  tell_ends(whole, whole);
  forget(c);
}
