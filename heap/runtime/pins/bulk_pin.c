/* Bulk pins ("setting apart"): pinning whole chunks for a branch.

   A fork may hand over a large structure, and may do so again and again. After a fork
   has pinned enough objects singly, the fork sets the whole heap apart: all chunks are
   pinned as a whole, and allocation goes on in new chunks. The cost is a step for each
   chunk; dead objects stay in pinned chunks. In a chunk with only pinned objects, each
   object is pinned at the fork's depth instead, and allocation goes on in the holes.

       in use       -- hh_set_apart -->         bulk-pinned at the fork's depth
       bulk-pinned  -- join -->                 still bulk-pinned; expiry put off
       put off      -- next fork as deep -->    found pinned: only new objects are pinned
       put off      -- full collection -->      brought back: in use, private again
       put off      -- less deep fork -->       brought back before the fork

   An object reachable from a bulk-pinned chunk must stay pinned as long as the chunk.
   Therefore, while a chunk is still bulk-pinned for a fork that has joined, no other
   pin of that depth or deeper expires. A full collection becomes due as if the chunks
   had been brought back.

   The objects that a continuation's stack reaches are bulk-pinned like the rest. When
   the continuation becomes reachable beyond the fork, no domain may walk the stack.
   The task that resumes the continuation may run anywhere, and then reaches objects
   whose depths count another task's forks. From then on ([hh_stranded]) no object of
   the heap expires, and every store that depends on a depth publishes permanently,
   until a global collection. */

#include "hh.h"

static void set_all(chunks *l, int depth) {
  for (chunk *c = l->first; c; c = c->next) {
    hh_set_young(c, 0);
    c->all = (unsigned char)depth;
  }
}

static void pin_again(heap *h, chunks *l, int depth) {
  for (chunk *c = l->first; c; c = c->next)
    if (c->pin) hh_pin_again(h, c, depth);
}

static size_t not_pinned(chunks *l) {
  size_t n = 0;
  for (chunk *c = l->first; c; c = c->next) n += c->bytes - (c->pinned - c->expired);
  return n;
}

/* Moves deeper bulk pins to [depth]. The owner calls after the deeper forks have
   joined, so no other heap reaches the objects. */
static void keep_deeper(heap *h, int depth) {
  for (size_t i = 0; i < h->apart.count; i++) {
    apart *a = &h->apart.at[i];
    if (a->depth <= depth) continue;
    a->depth = depth;
    set_all(&a->old, depth);
  }
}

/* The bytes of a bulk pin that are neither pinned nor known to live. The bytes count
   as known until the bulk pin ends. Before the join only the safety net could free the
   objects; if the bytes counted as garbage, the net would come again and again. */
static size_t not_known(apart *a) {
  size_t n = not_pinned(&a->old), known = a->live.known;
  return n > known ? n - known : 0;
}

/* 1 if the domain has not allocated since the last collection. */
static int is_fresh(domain *d) {
  caml_domain_state *s = d->state;
  heap *h = d->leaf;
  return s->young_ptr == s->young_end && h->young.first == h->young.last &&
         h->grown == (size_t)((char *)s->young_end - (char *)s->young_start);
}

static void take_young(domain *d, apart *a) {
  hh_leave_area(d);
  hh_collect_new_customs(d);
  hh_settle_ephemerons(d->leaf);
  hh_join_chunks(&a->old, &d->leaf->young);
  d->leaf->remembered.count = 0;
}

void hh_set_apart(domain *d, int depth) {
  heap *h = d->leaf;
  apart a = {.depth = depth, .live = h->live};
  int fresh = is_fresh(d);
  keep_deeper(h, depth);
  if (!fresh) take_young(d, &a);
  pin_again(h, &h->young, depth);
  pin_again(h, &h->holed, depth);
  hh_join_chunks(&a.old, &h->old);
  set_all(&a.old, depth);
  a.kept = not_known(&a);
  hh_count(d->figures.known, a.kept);
  h->open = NULL;
  h->live = (lived){0};
  hh_push(&h->apart, a);
  if (!fresh) hh_new_area(d);
}

/* Ends a bulk pin. Some of the chunks were young, so objects without a pin of their
   own may live among the pinned ones: no cycle sweeps these chunks before a full
   collection. */
static void bring_back_one(heap *h, apart *a) {
  hh_count(hh_self->figures.known, -a->kept);
  lived l = hh_faded(a->live, h->depth);
  h->live = hh_faded(h->live, h->depth);
  hh_add_live(&h->live, &l);
  h->live.known += l.known;
  set_all(&a->old, 0);
  for (chunk *c = a->old.first; c; c = c->next) {
    c->mixed = 1;
    c->judged = 0;
  }
  hh_join_chunks(&a->old, &h->old);
  h->old = a->old;
}

/* The bulk pins may be out of order, since a cycle may have put off the end of some. */
static void bring_back_deeper(heap *h, int depth) {
  size_t kept = 0;
  for (size_t i = 0; i < h->apart.count; i++)
    if (h->apart.at[i].depth > depth) bring_back_one(h, &h->apart.at[i]);
    else h->apart.at[kept++] = h->apart.at[i];
  h->apart.count = kept;
}

static int deepest(heap *h) {
  int depth = 0;
  for (size_t i = 0; i < h->apart.count; i++)
    if (h->apart.at[i].depth > depth) depth = h->apart.at[i].depth;
  return depth;
}

/* 1 if bulk pins are left from forks that have joined. */
static int keeps_apart(heap *h) { return !h->disordered && deepest(h) > h->depth; }

int hh_puts_off(heap *h) { return h->hands_much && keeps_apart(h); }

/* Prepares a fork. Bulk pins deeper than the coming fork end. Then the heap is
   collected, if worth the time: a bulk pin would keep dead objects. A heap that has
   grown is collected in full. A heap that has handed over a large structure will do so
   again, so at least its young objects are collected. Bytes that joins have put off
   count as growth, since no other collection may come between two forks. */
void hh_before_fork(domain *d) {
  heap *h = d->leaf;
  if (h->disordered) return;
  if (deepest(h) > h->depth + 1) hh_let_expire(h);
  if (h->apart.count > 0) {
    if (keeps_apart(h) && hh_full_due(d)) hh_collect(d, FULL);
  } else if (hh_half_due(d))
    hh_collect(d, FULL);
  else if (h->hands_much)
    hh_collect(d, YOUNG_ONLY);
}

/* Returns 0 during a cycle: a full collection could not unpin the chunks then. */
size_t hh_put_off(heap *h, lived *live) {
  size_t bytes = 0;
  if (hh_marking || !keeps_apart(h)) return 0;
  for (size_t i = 0; i < h->apart.count; i++) {
    apart *a = &h->apart.at[i];
    if (a->depth <= h->depth) continue;
    bytes += a->old.bytes;
    lived l = hh_faded(a->live, h->depth);
    hh_add_live(live, &l);
  }
  for (chunk *c = h->holed.first; c; c = c->next) bytes += c->pinned - c->expired;
  return bytes;
}

void hh_bring_back(heap *h) {
  if (h->disordered) return;
  if (h->apart.count > 0) hh_note_lowered(h);
  bring_back_deeper(h, h->depth);
}

void hh_bring_all_back(heap *h) {
  bring_back_deeper(h, 0);
  h->lowered.count = 0;
}

_Atomic int hh_stranded;

void hh_strand(heap *h) {
  hh_stranded = 1;
  hh_disorder_all(h);
}
