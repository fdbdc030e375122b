/* Allocation of small objects, and the areas that domains allocate in.

   A domain allocates downwards in its area, as stock does in the minor heap. Here an
   area is a free stretch of a chunk: a whole fresh chunk, or a hole between pinned
   objects that an earlier collection left. When an area is full the domain takes the
   next. When [nursery] bytes have been given out since the last collection, a
   collection is due. Objects of more than [large_bytes] have chunks of their own
   (objects.c).

   Every new object is young, large objects too: C code may fill a new object by plain
   stores. */

#include "hh.h"
#include <string.h>

size_t hh_nursery_bytes = (size_t)1 << 20;
size_t hh_least_old = (size_t)8 << 20;

/* Sets the nursery's size. A young collection scans all stacks that are roots: the
   current fiber's, its parents', other threads'. Deep stacks make the nursery larger,
   so that the time for scans stays in proportion to the allocation. */
void hh_set_nursery(domain *d) {
  size_t by_stack = d->stacks / 4;
  d->nursery = by_stack > hh_nursery_bytes ? by_stack : hh_nursery_bytes;
}

/* {1 Areas} */

static void set_area(domain *d, char *low, char *high) {
  caml_domain_state *s = d->state;
  s->young_start = s->young_trigger = s->memprof_young_trigger = (value *)low;
  s->young_end = s->young_ptr = (value *)high;
  d->leaf->grown += (size_t)(high - low);
  caml_reset_young_limit(s);
}

/* Leaves the area; returns its unused part. */
static stretch leave_area(domain *d) {
  caml_domain_state *s = d->state;
  hh_count(d->figures.small, (size_t)((char *)s->young_end - (char *)s->young_ptr));
  stretch rest = {(char *)s->young_start, (char *)s->young_ptr};
  s->young_start = s->young_trigger = s->memprof_young_trigger = NULL;
  s->young_end = s->young_ptr = NULL;
  return rest;
}

void hh_leave_area(domain *d) {
  leave_area(d);
  d->leaf->area = (stretch){NULL, NULL};
  d->leaf->area_chunk = NULL;
  d->leaf->spares.count = 0;
}

void hh_keep_area(domain *d) {
  stretch rest = d->leaf->area = leave_area(d);
  d->leaf->grown -= (size_t)(rest.high - rest.low);
}

void hh_take_area(domain *d) {
  stretch rest = d->leaf->area;
  d->leaf->area = (stretch){NULL, NULL};
  if (rest.high > rest.low) set_area(d, rest.low, rest.high);
  else hh_new_area(d);
}

chunk *hh_young_chunk(domain *d, size_t bytes) {
  chunk *c = hh_new_chunk(d->leaf, bytes);
  if (c) {
    if (hh_watches(d) && d->has_scanned) c->all_marked_in = hh_cycle;
    hh_set_young(c, 1);
    hh_add_chunk(&d->leaf->young, c);
  }
  return c;
}

/* Finds the next unpinned stretch of [c], from [c->hole] on. [c->hole] is the
   beginning of the chunk, or the end of the stretch found last: a pinned object, or
   the end of the chunk. */
_Static_assert(LEAST_HOLE >= 127 * sizeof(value), "each hole has a unit of the map");

static int next_hole(chunk *c, char **low, char **high) {
  size_t from = (size_t)(c->hole - c->base) >> 3, to;
  for (; bits_gap(c->pin, &from, &to, c->bytes >> 3); from = to)
    if ((to - from) << 3 >= LEAST_HOLE) {
      *low = c->base + (from << 3);
      c->hole = *high = c->base + (to << 3);
      return 1;
    }
  c->hole = c->base + c->bytes;
  return 0;
}

/* 0 if less than a quarter of the chunk is free: the holes are few and short, and a
   search at each collection takes longer than a fresh chunk. */
int hh_has_holes(chunk *c) {
  char *low, *high;
  c->hole = c->base;
  return c->bytes - c->pinned >= c->bytes / 4 && next_hole(c, &low, &high);
}

static chunk *take_holed(domain *d) {
  chunk *c = d->leaf->holed.first;
  if (c) {
    d->leaf->holed.first = c->next;
    if (!c->next) d->leaf->holed.last = NULL;
    d->leaf->holed.bytes -= c->bytes;
  } else if (!(c = hh_take_from_pool(d->leaf)))
    return NULL;
  hh_set_young(c, 1);
  c->hole = c->base;
  hh_add_chunk(&d->leaf->young, c);
  return c;
}

/* Makes an area at the end of a fresh chunk: the whole chunk, unless the nursery is
   smaller. */
static void fresh_area(domain *d, size_t least) {
  chunk *c = hh_young_chunk(d, CHUNK_BYTES);
  if (!c) caml_fatal_error("heap: out of memory");
  size_t bytes = hh_nursery_bytes < least ? least : hh_nursery_bytes;
  if (bytes > c->bytes) bytes = c->bytes;
  char *end = c->base + c->bytes;
  set_area(d, end - (bytes & ~(size_t)(Cache_line_bsize - 1)), end);
}

/* Leaves the area, and keeps its rest for smaller objects. */
static void set_aside(domain *d) {
  stretch rest = leave_area(d);
  size_t bytes = (size_t)(rest.high - rest.low);
  if (bytes < LEAST_HOLE) return;
  d->leaf->grown -= bytes;
  hh_push(&d->leaf->spares, rest);
}

/* Finds a hole of [least] bytes in the present chunk or the next few; keeps the holes
   passed over for smaller objects. */
static int find_hole(domain *d, size_t least) {
  heap *leaf = d->leaf;
  stretch s;
  for (int chunks = 0; chunks < 4; chunks++) {
    if (!leaf->area_chunk && !(leaf->area_chunk = take_holed(d))) return 0;
    while (next_hole(leaf->area_chunk, &s.low, &s.high)) {
      if ((size_t)(s.high - s.low) >= least) {
        set_area(d, s.low, s.high);
        return 1;
      }
      hh_push(&leaf->spares, s);
    }
    leaf->area_chunk = NULL;
  }
  return 0;
}

void hh_large_area(domain *d, size_t least) {
  set_aside(d);
  if (!find_hole(d, least)) fresh_area(d, least);
}

void hh_new_area(domain *d) {
  heap *leaf = d->leaf;
  leave_area(d);
  if (leaf->spares.count > 0) {
    stretch s = leaf->spares.at[--leaf->spares.count];
    set_area(d, s.low, s.high);
    return;
  }
  char *low, *high;
  chunk *c = leaf->area_chunk ? leaf->area_chunk : take_holed(d);
  while (c && !next_hole(c, &low, &high)) c = take_holed(d);
  leaf->area_chunk = c;
  if (c) set_area(d, low, high);
  else fresh_area(d, LEAST_AREA);
}

/* {1 Small objects} */

/* Collects if a collection was asked for, or if the nursery is used up. */
static void collect_if_due(domain *d) {
  caml_domain_state *s = d->state;
  int all = s->requested_global_major_slice, full = s->requested_major_slice;
  int young = s->requested_minor_gc || d->leaf->grown >= d->nursery || hh_sweep_waits(d->leaf);
  s->requested_global_major_slice = s->requested_major_slice = 0;
  s->requested_minor_gc = 0;
  if (all && !hh_alone()) hh_global_collect(d, NULL);
  else if (all || full) hh_collect(d, FULL);
  else if (young) hh_collect(d, YOUNG_ONLY);
}

void caml_handle_gc_interrupt(void) {
  domain *d = hh_self;
  if (hh_stopping) hh_park(d);
  if (d->stage != hh_stage) hh_answer(d);
  caml_domain_state *s = d->state;
  if (s->requested_minor_gc || s->requested_major_slice ||
      s->requested_global_major_slice || hh_sweep_waits(d->leaf))
    collect_if_due(d);
  caml_reset_young_limit(s);
  /* the caller may not run callbacks; the next that may will */
  if (hh_callbacks_wait(d)) s->action_pending = 1;
}

void caml_poll_gc_work(void) { caml_handle_gc_interrupt(); }

/* Called when [young_ptr] was lowered below the limit. Callbacks of signals and
   finalisers may run only if OCaml code allocates. */
void caml_alloc_small_dispatch(caml_domain_state *s, intnat wosize, int flags,
                               int allocations, unsigned char *lengths) {
  (void)allocations; (void)lengths;
  size_t words = Whsize_wosize(wosize);
  domain *d = hh_self;
  s->young_ptr += words;
  for (;;) {
    if (flags & CAML_FROM_CAML)
      caml_process_pending_actions();
    else {
      caml_handle_gc_interrupt();
      if (hh_callbacks_wait(d)) caml_set_action_pending(s);
    }
    if (hh_room_for(s, words)) break;
    if (d->leaf->grown >= d->nursery) {
      collect_if_due(d);
      /* takes a longer area: if all holes are too small, the loop would collect again
         and again */
      if (!hh_room_for(s, words)) hh_large_area(d, LEAST_AREA);
    } else
      hh_new_area(d);
  }
  s->young_ptr -= words;
}

value caml_check_urgent_gc(value v) {
  if (hh_must_look(hh_self)) {
    CAMLparam1(v);
    caml_handle_gc_interrupt();
    CAMLdrop;
  }
  return v;
}

void caml_minor_collection(void) {
  Caml_state->requested_minor_gc = 1;
  caml_process_pending_actions();
}
