/* Setting apart: pinning whole chunks for a branch.

   A fork may hand over a large structure, and do so again and again. Who has pinned
   enough of it sets all of the heap apart instead: its chunks are pinned as they are, and
   it goes on in new ones. That takes a step for each chunk, and what is dead in them
   stays. Where only pinned objects were left they are pinned as deep, each in its place,
   and allocation goes on around them.

   Nothing that is reached from there may be private again sooner. So while something that
   the forks over are apart for is still so, nothing else that is as deep expires either. A
   join puts all of that off: the next fork as deep finds the structure pinned, and goes on
   to what is new. It ends with a full collection of the heap, which is due as if it had
   been brought back, or before a fork that is less deep.

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

static void pin_again(heap *h, chunks *l, int depth) {
  for (chunk *c = l->first; c; c = c->next)
    if (c->pin) hh_pin_again(h, c, depth);
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
    set_all(&a->old, depth);
  }
}

/* Nobody can free any of it before the join, but for the net: that would come again and
   again, as long as what it finds there counts as garbage. */
static size_t not_known(apart *a) {
  size_t n = not_pinned(&a->old), known = a->live.known;
  return n > known ? n - known : 0;
}

/* Nothing has been allocated since the last collection. */
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

/* Some were young: what was never pinned may live between what was. So none of that is
   swept before a full collection. */
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

/* They need not be in order: a cycle may have put off what was due. */
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

/* For forks that are over. */
static int keeps_apart(heap *h) { return !h->disordered && deepest(h) > h->depth; }

int hh_puts_off(heap *h) { return h->hands_much && keeps_apart(h); }

/* If it sets the heap apart what is dead there stays. So a heap that has grown is collected
   in full; who has handed over a large structure will do so again, and collects what is
   young at least. What joins have put off grows too, and between forks there may be no
   collection that would find that. */
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

/* Nothing, in a cycle: a full collection could not let go of it. */
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
