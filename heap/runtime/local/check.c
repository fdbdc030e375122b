/* The heap verifier: walks the objects that a domain can see after a collection, and
   stops the program where an invariant of README.md is broken.

   A chunk whose objects lie side by side (old chunks, filled by copying) is walked as
   a whole; in other chunks the pinned objects are walked; then the roots, and the
   lists of finalisers and ephemerons. */

#include "hh.h"
#include <caml/globroots.h>
#include <stdio.h>
#include <stdlib.h>

int hh_checking;
static CAMLthread_local int after_all; /* all private objects have just been found
                                          alive */

static void broken(const char *after, const char *what, value object, mlsize_t i,
                   value v) {
  fprintf(stderr,
          "heap: after %s: %s\n"
          "heap: object %p, header %lx, field %lu holds %p\n",
          after, what, (void *)object, (unsigned long)Hd_val(object),
          (unsigned long)i, (void *)v);
  abort();
}

/* 1 if [v] is shared. Meanwhile the owner may pin more objects; it may also freeze
   the heap as its domain ends, and then the second look at [frozen] sees it. A pinned
   object stays pinned until the world is stopped. */
static int shared_by_owner(chunk *c, value v) {
  return c->heap->frozen || hh_pinned(c, v) || c->heap->frozen;
}

/* 1 if [v] lies in a hole, that is unpinned in a chunk with only pinned objects: the
   next area may be there. */
static int in_hole(chunk *c, value v) {
  return !c->young && !c->large && !c->mixed && c->fill == c->base && hh_unpinned(c, v);
}

static int stopped; /* the world is stopped, so no domain lowers */

/* [shared]: the object's pin depth, or 0. */
static void check_field(domain *d, const char *after, value object, mlsize_t i,
                        int shared) {
  value v = Field(object, i);
  if (!Is_block(v)) return;
  chunk *c = chunk_of(v);
  if (!c && (size_t)v - (size_t)hh_space < SPACE_BYTES)
    broken(after, "points to where no chunk is", object, i, v);
  if (!c) return;
  if (stopped && shared && !c->heap->frozen && hh_pin_of(c, v) > shared)
    broken(after, "is shared and points to what is so less long", object, i, v);
  if (c->heap != d->leaf) {
    if (!shared_by_owner(c, v))
      broken(after, "points to what another domain has not published", object, i, v);
    return; /* other domains may be collecting their heaps */
  }
  if (c->from) broken(after, "points to where nothing lives", object, i, v);
  if (in_hole(c, v)) broken(after, "points into a hole", object, i, v);
  header_t h = Hd_val(v);
  if (h == 0) broken(after, "points to what has moved", object, i, v);
  if (Tag_hd(h) == Infix_tag) { v -= Infix_offset_hd(h); h = Hd_val(v); }
  if (hh_left_dead(c, v)) broken(after, "points to what died in its place", object, i, v);
  if ((char *)v + Bsize_wsize(Wosize_hd(h)) > c->base + c->bytes)
    broken(after, "points to what is longer than its chunk", object, i, v);
  if (shared && !hh_pinned(c, v))
    broken(after, "is shared and points to what is not pinned", object, i, v);
}

/* Checks a root that no other domain can read. */
static void check_own_root(void *data, value v, volatile value *p) {
  chunk *c = Is_block(v) ? chunk_of(v) : NULL;
  domain *d = data;
  if (c && c->heap != d->leaf && !shared_by_owner(c, v))
    caml_fatal_error("heap: root %p holds %p, which another domain has not published",
                     (void *)p, (void *)v);
}

static void check_root(void *data, value v, volatile value *p) {
  domain *d = data;
  if (!Is_block(v)) return;
  chunk *c = chunk_of(v);
  if (c ? c->heap == d->leaf && (c->from || in_hole(c, v))
        : (size_t)v - (size_t)hh_space < SPACE_BYTES)
    caml_fatal_error("heap: root %p holds %p, where nothing lives", (void *)p,
                     (void *)v);
}

/* 1 if the object may be dead, and objects that it points to may be gone: a shared
   object that the last cycle has not marked, or a private object in a collection that
   did not trace all private objects. */
static int given_up(chunk *c, value v, int shared) {
  if (hh_cycle == 0) return 0;
  if (!shared) return !after_all;
  return c->all_marked_in != hh_cycle && (c->mark_bits_in != hh_cycle || !hh_has_mark(c, v));
}

static void check_object(domain *d, const char *after, chunk *c, value v) {
  header_t h = Hd_val(v);
  if (Tag_hd(h) >= No_scan_tag) return;
  int shared = hh_pinned(c, v) ? hh_pin_of(c, v) : 0;
  if (given_up(c, v, shared)) return;
  if (Tag_hd(h) == Cont_tag) return; /* the continuation may be dead, and its stack
                                        gone */
  mlsize_t i = hh_first_field(v, h);
  for (; i < Wosize_hd(h); i++) check_field(d, after, v, i, shared);
}

static void check_chunk(domain *d, const char *after, chunk *c) {
  char *p = c->base;
  while (p < c->fill) {
    value v = Val_hp(p);
    if (Hd_val(v) == 0) broken(after, "has moved, in a chunk that was filled", v, 0, 0);
    if (!hh_left_dead(c, v)) check_object(d, after, c, v);
    p += Bhsize_hd(Hd_val(v));
  }
  if (p != c->fill) broken(after, "goes beyond what its chunk was filled to", Val_hp(c->base), 0, 0);
}

/* Checks the pinned objects: each run of pinned words is a sequence of objects. */
static void check_pinned(domain *d, const char *after, chunk *c) {
  size_t words = c->bytes >> 3;
  if (!c->pin || c->large) return; /* a large object has been walked */
  for (size_t i = 0; i < words; i++)
    if (bits_at(c->pin, i)) {
      value v = Val_hp(c->base + (i << 3));
      check_object(d, after, c, v);
      i += Wosize_val(v);
    }
}

/* Checks that the table maps each place of a chunk to the chunk: no two overlap. */
static void check_places(const char *after, chunks *l) {
  for (chunk *c = l->first; c; c = c->next)
    for (size_t i = 0; i < c->bytes; i += CHUNK_BYTES)
      if (chunk_of((value)(c->base + i)) != c)
        caml_fatal_error("heap: after %s: a chunk's place is another's", after);
}

static void check_home(const char *after, heap *h, value v, const char *what) {
  chunk *c = chunk_of(v);
  if (!c || c->heap != h)
    caml_fatal_error("heap: after %s: %s %p is told of in another heap", after, what,
                     (void *)v);
}

/* Checks that the lists of a heap name objects of that heap only: the heap that
   collects an object must know what to do when the object dies. */
static void check_lists(domain *d, const char *after, heap *h) {
  for (size_t i = 0; i < h->old_customs.count; i++)
    check_home(after, h, h->old_customs.at[i].block, "a custom block");
  for (size_t i = 0; i < h->old_ephemerons.count; i++) {
    value e = h->old_ephemerons.at[i];
    check_home(after, h, e, "an ephemeron");
    for (mlsize_t k = 1; k < Wosize_val(e); k++) check_field(d, after, e, k, 0);
  }
  for (size_t i = 0; i < h->first.count; i++) {
    check_own_root(d, h->first.at[i].fun, &h->first.at[i].fun);
    check_own_root(d, h->first.at[i].val, &h->first.at[i].val);
  }
}

static void check_heap(domain *d, const char *after) {
  check_places(after, &d->leaf->young);
  check_places(after, &d->leaf->old);
  check_places(after, &d->leaf->holed);
  for (chunk *c = d->leaf->old.first; c; c = c->next) {
    if (c->heap != d->leaf)
      caml_fatal_error("heap: after %s: a chunk is in a list that is not its heap's", after);
    check_chunk(d, after, c);
    check_pinned(d, after, c);
  }
  for (chunk *c = d->leaf->holed.first; c; c = c->next) check_pinned(d, after, c);
  check_lists(d, after, d->leaf);
  hh_scan_task(d, d->leaf, check_root);
}

void hh_check(domain *d, const char *after, int all) {
  if (!hh_checking) return;
  after_all = all;
  check_heap(d, after);
  hh_scan_domain(d, d, check_own_root);
  hh_scan_domain(d, d, check_root);
  caml_scan_global_roots(check_root, d);
}

/* Checks heap [h] with the world stopped. */
void hh_check_other(domain *d, heap *h) {
  heap *leaf = d->leaf;
  d->leaf = h;
  after_all = 1;
  stopped = 1;
  if (hh_checking) check_heap(d, "a global collection");
  stopped = 0;
  d->leaf = leaf;
}
