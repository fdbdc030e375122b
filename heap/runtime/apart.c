/* Setting apart: pinning whole chunks for a branch.

   A fork may hand over a large structure, and do so again and again. Who has pinned
   enough of it sets all of the heap apart instead: its chunks are pinned as they are, and
   it goes on in new ones. That takes a step for each chunk, and what is dead in them
   stays until the join. Nothing that is reached from there may be private again sooner:
   so what was set apart for deeper forks, whose joins a cycle has put off, is kept for
   this one too.

   What the stack of a continuation leads to is pinned like the rest, and nobody walks it
   when the continuation is made known beyond the fork. Who resumes it may be anywhere, and
   has objects then whose depths count somebody else's forks. So none of these expires any
   more, and what is stored where a depth would tell is published for good, until all
   heaps have been collected. */

#include "hh.h"

static void set_all(chunks *l, int depth) {
  for (chunk *c = l->first; c; c = c->next) {
    hh_set_young(c, 0);
    c->all = (unsigned char)depth;
  }
}

static void pin_whole(apart *a) {
  set_all(&a->old, a->depth);
  set_all(&a->holed, a->depth);
}

static size_t not_pinned(chunks *l) {
  size_t n = 0;
  for (chunk *c = l->first; c; c = c->next) n += c->bytes - (c->pinned - c->expired);
  return n;
}

/* By their owner: nobody else has any of it, these forks are over. */
static void keep_deeper(heap *h, int depth) {
  for (size_t i = 0; i < h->apart.count; i++) {
    apart *a = &h->apart.at[i];
    if (a->depth <= depth) continue;
    a->depth = depth;
    pin_whole(a);
  }
}

/* Nobody can free any of it before the join, but for the net: that would come again and
   again, as long as what it finds there counts as garbage. */
static size_t not_known(apart *a) {
  size_t n = not_pinned(&a->old) + not_pinned(&a->holed), known = a->live.known;
  return n > known ? n - known : 0;
}

void hh_set_apart(domain *d, int depth) {
  heap *h = d->leaf;
  apart a = {.depth = depth, .live = h->live};
  keep_deeper(h, depth);
  hh_leave_area(d);
  hh_collect_new_customs(d);
  hh_settle_ephemerons(h);
  a.old = h->young;
  a.holed = h->holed;
  h->young = h->holed = (chunks){NULL, NULL, 0};
  hh_join_chunks(&a.old, &h->old);
  pin_whole(&a);
  a.kept = not_known(&a);
  hh_count(d->figures.known, a.kept);
  h->open = NULL;
  h->remembered.count = 0;
  h->live = (lived){0};
  hh_push(&h->apart, a);
  hh_new_area(d);
}

static void give_back(chunks *l, int mixed) {
  set_all(l, 0);
  for (chunk *c = l->first; c; c = c->next) {
    c->mixed |= mixed;
    c->judged = 0;
  }
}

/* Some were young: what was never pinned may live between what was. So none of that is
   swept before a full collection. Where only pinned objects were there are no others now. */
static void bring_back_one(heap *h, apart *a) {
  hh_count(hh_self->figures.known, -a->kept);
  h->live.left += a->live.left;
  h->live.merged += a->live.merged;
  h->live.known += a->live.known;
  give_back(&a->old, 1);
  give_back(&a->holed, 0);
  hh_join_chunks(&a->old, &h->old);
  h->old = a->old;
  hh_join_chunks(&h->holed, &a->holed);
}

/* They need not be in order: a cycle may have put off what was due. */
static void bring_back_deeper(heap *h, int depth) {
  size_t kept = 0;
  for (size_t i = 0; i < h->apart.count; i++)
    if (h->apart.at[i].depth > depth) bring_back_one(h, &h->apart.at[i]);
    else h->apart.at[kept++] = h->apart.at[i];
  h->apart.count = kept;
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
