/* Whole heaps: merging, freezing, adopting, and the estimates of live bytes.

   Joins call [hh_merge]; spawning and ending domains call [hh_freeze]; the full
   collections of a program with a single heap call [hh_adopt]. No function here moves
   an object: each takes a step for each chunk.

   A task's heap is merged into the heap of the joining task. A leaf is frozen (its
   chunks become the shared heap's) when the program spawns its first further domain,
   since nothing was pinned until then, and when a domain ends. A program that is back
   to a single heap adopts the shared heap at its next full collection. */

#include "hh.h"
#include <stdlib.h>

/* {1 Vectors} */

void *hh_grow(void *at, size_t *room, size_t element) {
  size_t more = *room ? 2 * *room : 64;
  at = realloc(at, more * element);
  if (!at) caml_fatal_error("heap: out of memory");
  *room = more;
  return at;
}

/* {1 Heaps} */

heap hh_frozen = {.frozen = 1};
pthread_mutex_t hh_frozen_lock = PTHREAD_MUTEX_INITIALIZER;

size_t hh_bytes(heap *h) { return h->young.bytes + h->old.bytes + h->holed.bytes; }

/* Estimates the live bytes. A merged heap adds to the bytes that lived before, or
   replaces some of them; the runtime cannot tell which. Therefore merged bytes count
   as alive up to the greater of [left] and [largest]. If all merged bytes counted, a
   task whose joins each replace the last result would never be collected. */
size_t hh_live(lived *l) {
  size_t most = l->left > l->largest ? l->left : l->largest;
  return l->left + (l->merged < most ? l->merged : most);
}

/* Adds all estimates except [known] and the pinned bytes. */
void hh_add_live(lived *to, lived *l) {
  to->left += l->left;
  to->merged += l->merged;
  if (l->largest > to->largest) to->largest = l->largest;
}

/* Lowers the estimate after a join. The last full collection did not trace the pinned
   objects, and the forks that they were pinned for have joined. Half of the pinned
   bytes are assumed to be garbage. */
lived hh_faded(lived l, int depth) {
  if (depth >= l.depth) return l;
  l.left -= (l.pinned < l.left ? l.pinned : l.left) / 2;
  l.depth = 0;
  return l;
}

void hh_set_live(heap *h, lived l) {
  hh_count(hh_self->figures.known, l.known - h->live.known);
  h->live = l;
}

static void give(heap *to, chunks *from) {
  for (chunk *c = from->first; c; c = c->next) {
    c->judged = c->mixed = 0;
    c->heap = to;
    hh_set_young(c, 0);
  }
  hh_join_chunks(&to->old, from);
}

static void give_all(heap *to, heap *from) {
  hh_bring_all_back(from);
  give(to, &from->young);
  give(to, &from->old);
  give(to, &from->holed);
  from->open = NULL;
  hh_set_live(from, (lived){0});
  from->grown = from->since = from->loose = 0;
  from->remembered.count = from->spares.count = 0;
  hh_append(&to->old_customs, &from->young_customs);
  hh_append(&to->old_customs, &from->old_customs);
  hh_settle_ephemerons(from);
  hh_append(&to->old_ephemerons, &from->old_ephemerons);
  from->first_old = from->last_old = 0;
  hh_append(&to->first, &from->first);
  hh_append(&to->last, &from->last);
}

void hh_freeze(heap *leaf) {
  pthread_mutex_lock(&hh_frozen_lock);
  give_all(&hh_frozen, leaf);
  pthread_mutex_unlock(&hh_frozen_lock);
}

/* Adds the estimate of a merged heap. The join makes [to] less deep than the branch,
   so the branch's pins count as over. */
static void merge_live(heap *to, heap *from) {
  lived l = hh_faded(from->live, 0);
  size_t live = hh_live(&l);
  hh_add_live(&to->live, &(lived){.merged = live, .largest = live});
  to->live.known += from->live.known;
  to->live.expired += from->live.pinned + from->live.expired;
  from->live = (lived){0};
}

static void relabel(heap *to, chunks *l) {
  for (chunk *c = l->first; c; c = c->next) c->heap = to;
}

static void append_levels(heap *to, heap *from) {
  if (!from->levels || to->disordered) return;
  if (!to->levels) {
    to->levels = from->levels;
    from->levels = NULL;
    return;
  }
  for (int i = 0; i <= DEEPEST; i++) hh_append(&to->levels[i], &from->levels[i]);
}

/* The old chunks of [from] go to the front: survivors are copied to the end of the
   list. */
void hh_merge(heap *to, heap *from) {
  relabel(to, &from->young);
  relabel(to, &from->old);
  relabel(to, &from->holed);
  for (size_t i = 0; i < from->apart.count; i++)
    relabel(to, &from->apart.at[i].old);
  hh_join_chunks(&to->young, &from->young);
  hh_join_chunks(&from->old, &to->old);
  hh_join_chunks(&to->old, &from->old);
  hh_join_chunks(&to->holed, &from->holed);
  if (from->area.high > from->area.low) hh_push(&to->spares, from->area);
  hh_append(&to->spares, &from->spares);
  to->grown += from->grown;
  merge_live(to, from);
  if (from->swept_for != hh_cycle) to->swept_for = from->swept_for;
  to->loose += from->loose;
  append_levels(to, from);
  if (from->apart.count > 0) hh_merge_lowered(to, from);
  hh_append(&to->apart, &from->apart); /* from forks out of order, or put off by a
                                          cycle */
  hh_append(&to->remembered, &from->remembered);
  hh_append(&to->young_customs, &from->young_customs);
  hh_append(&to->old_customs, &from->old_customs);
  hh_append(&to->young_ephemerons, &from->young_ephemerons);
  hh_append(&to->old_ephemerons, &from->old_ephemerons);
  from->first_old = from->last_old = 0;
  hh_append(&to->first, &from->first);
  hh_append(&to->last, &from->last);
  hh_append(&to->todo, &from->todo);
}

/* Makes pinned chunks old: their young objects have been counted as promoted when they
   were pinned. */
static void unpin_all(chunks *l) {
  for (chunk *c = l->first; c; c = c->next) {
    if (c->pin) hh_set_young(c, 0);
    hh_unpin(c);
  }
}

void hh_adopt(heap *leaf) {
  hh_note_most_pinned();
  hh_abandon_cycle();
  pthread_mutex_lock(&hh_frozen_lock);
  give_all(leaf, &hh_frozen);
  give_all(leaf, &hh_pool);
  hh_note_pooled();
  hh_bring_all_back(leaf);
  pthread_mutex_unlock(&hh_frozen_lock);
  unpin_all(&leaf->young);
  unpin_all(&leaf->old);
  unpin_all(&leaf->holed);
}
