/* Publishing: pinning all objects that a value reaches, before other domains can reach
   the value.

   The walk runs at the domain's depth. Most objects on the walk are fresh, lie in the
   domain's leaf, and lie in a chunk where similar objects have been pinned (the plain
   chunk, pin.c). The walk then only sets bits, and calls no function. A fork may hand
   over a large structure: then whole chunks are pinned (bulk_pin.c). */

#include "hh.h"
#include <caml/globroots.h>

/* {1 The walk} */

/* 1 for an object inside a block of closures, and for a continuation. */
static inline int is_special(header_t header) {
  return Tag_hd(header) == Infix_tag || Tag_hd(header) == Cont_tag;
}

/* Writes the byte count back to the domain. The walk keeps the plain chunk in the
   local copy [p] while it meets simple objects, and puts the count back before any
   other function needs it. */
ALIKE void put_back(domain *d, const plain *p) { d->plain.bytes = p->bytes; }

static const value not_simple = Val_unit;

/* Pins an object of the plain chunk. Returns the block whose fields are to be visited,
   0 if no field is, or [not_simple]. Without a map of depths, every pin there is as
   deep as the domain's depth, or less. */
ALIKE value enter_plain(domain *d, plain *p, value v) {
  size_t word = ((size_t)v - p->base) >> 3;
  if (bits_at(p->pin, word)) {
    int deeper = p->depth && __atomic_load_n(&p->depth[word], __ATOMIC_RELAXED) > d->depth;
    return deeper ? not_simple : 0;
  }
  header_t header = Hd_val(v);
  if (is_special(header)) return not_simple;
  if (p->depth) hh_fill_depths(p->depth + word - 1, d->depth, Whsize_hd(header));
  bits_set(p->pin, word - 1, Whsize_hd(header));
  p->bytes += Bhsize_hd(header);
  return hh_has_fields(v, header) ? v : 0;
}

static __attribute__((noinline)) value enter_elsewhere(domain *d, value v) {
  chunk *c = chunk_of(v);
  if (!c) return 0;
  value found = hh_find_plain(d, c) ? enter_plain(d, &d->plain, v) : not_simple;
  return found == not_simple ? hh_pin_one(d, c, v) : found;
}

/* Pins [v]; returns the block whose fields are to be visited next, or 0. */
ALIKE value enter(domain *d, plain *p, value v) {
  if (!Is_block(v)) return 0;
  if ((size_t)v - p->base < CHUNK_BYTES) {
    value found = enter_plain(d, p, v);
    if (found != not_simple) return found;
  }
  put_back(d, p);
  v = enter_elsewhere(d, v);
  *p = d->plain;
  return v;
}

void hh_visit(domain *d, value v) {
  plain p = d->plain;
  v = enter(d, &p, v);
  put_back(d, &p);
  if (v) hh_push(&d->pins, v);
}

static void visit_root(void *data, value v, volatile value *p) {
  (void)p;
  hh_visit(data, v);
}

/* Returns the index of the first field to visit; visits a continuation's stack. */
static __attribute__((noinline)) mlsize_t first_field(domain *d, value v) {
  if (Tag_val(v) != Cont_tag) return hh_first_field(v, Hd_val(v));
  struct stack_info *stack = Ptr_val(Field(v, 0));
  if (stack) caml_scan_stack(visit_root, 0, d, stack, 0);
  return 1;
}

/* Visits the fields of [v]. Returns one of the blocks to be visited next, so that a
   list needs no room on the stack [pins]. */
ALIKE value visit_fields(domain *d, plain *p, value v) {
  value next = 0;
  mlsize_t i = 0;
  if (Tag_val(v) >= Cont_tag) {
    put_back(d, p);
    i = first_field(d, v);
    *p = d->plain;
  }
  for (mlsize_t n = Wosize_val(v); i < n; i++) {
    value x = enter(d, p, Field(v, i));
    if (!x) continue;
    if (next) hh_push(&d->pins, next);
    next = x;
  }
  return next;
}

static void publish_all(domain *d) {
  plain p = d->plain;
  while (d->pins.count > 0)
    for (value v = d->pins.at[--d->pins.count]; v;) v = visit_fields(d, &p, v);
  put_back(d, &p);
  hh_leave_plain(d);
}

/* The depth that pins in the domain's leaf get. In a domain's own leaf pins are
   permanent, since several tasks use the leaf. */
static int lasting(domain *d, int depth) { return d->leaf->task ? depth : PERMANENT; }

static void begin(domain *d, int depth, value into, value v) {
  hh_publish_at(d, lasting(d, depth));
  d->into = into;
  d->stored = v;
}

static __attribute__((noinline)) void publish(domain *d, int depth, value into, value v) {
  begin(d, depth, into, v);
  hh_visit(d, v);
  publish_all(d);
}

void hh_hand_over(value v, int depth) { publish(hh_self, depth, 0, v); }

void hh_give_to_all(domain *d, value v) {
  if (hh_alone()) return;
  hh_hand_over(v, PERMANENT);
  hh_stored(d);
}

/* Called from the scheduler's stubs. */
value hh_task_share(value v) {
  hh_give_to_all(hh_self, v);
  return Val_unit;
}

static size_t pinned_by(domain *d) { return d->figures.pinned + d->plain.bytes; }

/* Bytes that a fork walks before it sets the heap apart; the smaller number holds if
   the last fork has set the heap apart. */
static const size_t most_walked = 256 << 10, least_walked = 16 << 10;

void hh_hand_over_to_task(value v, int depth) {
  domain *d = hh_self;
  heap *h = d->leaf;
  int expected = h->hands_much && h->apart.count == 0;
  size_t limit = d->figures.pinned + (expected ? least_walked : most_walked);
  begin(d, depth, 0, v);
  hh_visit(d, v);
  int all = depth == DEEPEST; /* no bulk pin: all forks deeper than DEEPEST pin at
                                 this depth, so a join may unpin nothing, and only a
                                 cycle does */
  while (d->pins.count > 0 && (all || d->depth == PERMANENT || pinned_by(d) < limit)) {
    plain p = d->plain;
    value next = visit_fields(d, &p, d->pins.at[--d->pins.count]);
    put_back(d, &p);
    if (next) hh_push(&d->pins, next);
  }
  hh_leave_plain(d);
  if (d->pins.count == 0) {
    h->hands_much &= h->apart.count > 0;
    return;
  }
  h->hands_much = 1;
  d->pins.count = 0;
  hh_set_apart(d, depth);
}

/* {1 Stores} */

/* 1 if a cycle runs and has not scanned the domain yet: stores shade what they
   publish. */
static inline int unscanned(domain *d) { return hh_watches(d) && !d->has_scanned; }

/* 1 if [v] is pinned deep enough already. Most values stored into a queue, or taken
   from it, are. */
static inline int is_published(heap *leaf, chunk *c, value v, int depth) {
  if (c->heap->frozen || hh_all_pinned(c, depth)) return 1;
  int pin = hh_pin_from(leaf, c, v);
  return hh_shared_pin(pin) && pin <= depth;
}

static inline int leads_on(heap *leaf, value v, header_t header, int depth) {
  for (mlsize_t i = 0; i < Wosize_hd(header); i++) {
    value x = Field(v, i);
    chunk *c = Is_block(x) ? chunk_of(x) : NULL;
    if (c && !is_published(leaf, c, x, depth)) return 1;
  }
  return 0;
}

static inline void count_stored(figures *f, size_t bytes, int depth) {
  hh_count(f->publications, 1);
  hh_count(f->entangled, bytes);
  if (depth == PERMANENT) hh_count(f->for_good, bytes);
}

/* Publishes a small object that leads only to published objects, as most of the
   remaining values are: the work of the walk in a few steps. Returns 0 if the object
   is not so simple. */
static inline int publish_one(domain *d, chunk *c, value v, int depth) {
  unsigned char *depths = __atomic_load_n(&c->depth, __ATOMIC_ACQUIRE);
  if (!hh_takes_more(d, c, depths, depth)) return 0;
  header_t header = Hd_val(v);
  size_t word = hh_word_of(c, v), bytes = Bhsize_hd(header);
  if (bytes > 64) return 0;
  if (Tag_hd(header) < String_tag &&
      (Tag_hd(header) >= Cont_tag || leads_on(d->leaf, v, header, depth)))
    return 0;
  if (depths) hh_fill_depths(depths + word - 1, depth, bytes >> 3);
  bits_set(c->pin, word - 1, bytes >> 3);
  hh_has_pinned(d, c, bytes);
  hh_count(d->figures.pinned, bytes);
  count_stored(&d->figures, bytes, depth);
  return 1;
}

/* Publishes [v] without a walk if possible; 1 if [v] is published now. */
static inline int publish_soon(domain *d, chunk *c, value v, int depth) {
  if (unscanned(d)) return 0;
  if (c->heap != d->leaf || c->all || c->large) return is_published(d->leaf, c, v, depth);
  if (!c->pin) return 0;
  if (!bits_at(c->pin, hh_word_of(c, v))) return publish_one(d, c, v, lasting(d, depth));
  return hh_own_pin_of(c, v) <= depth;
}

static void walk(domain *d, value field, value v, int depth) {
  size_t before = d->figures.pinned;
  publish(d, depth, field, v);
  if (d->figures.pinned > before)
    count_stored(&d->figures, d->figures.pinned - before, d->depth);
}

/* The depth at which a value must be published before a store into [field]. */
static inline int depth_in(domain *d, chunk *c, value field) {
  if (!c || !hh_goes_by_depth(c)) return PERMANENT;
  hh_announce(d);
  return hh_depth_of(c, field);
}

/* Publishes a value before a store. The bytes pinned here count as entangled; a
   program whose tasks communicate only by forks and joins has none. */
void hh_publish(value field, chunk *c, value v, chunk *of) {
  domain *d = hh_self;
  int depth = depth_in(d, c, field);
  if (!publish_soon(d, of, v, depth)) walk(d, field, v, depth);
}

void hh_publish_globals(void) {
  domain *d = hh_self;
  begin(d, PERMANENT, 0, Val_unit);
  hh_scan_c_roots(visit_root, d);
  publish_all(d);
  hh_stored(d);
}

/* Publishes the roots before the domain leaves its leaf. */
void hh_publish_roots(domain *d) {
  begin(d, PERMANENT, 0, Val_unit);
  hh_scan_domain(d, d, visit_root);
  hh_scan_running(d, visit_root);
  publish_all(d);
  hh_stored(d);
}
