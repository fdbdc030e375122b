/* Pins: what others may reach stays where it is.

   A chunk's pin map has a bit for each word, set for every word of a pinned object (so
   that the address of a field tells as well) and for its header. It is made with the
   chunk's first pin, and written by the chunk's owner alone. A pin is permanent, until
   the world is stopped for a collection, or has a depth: that of the fork for whose
   branch the object was published. When that branch has been joined the pin has expired
   ([hh_expire]): the object is private again, and stays where it is until its heap is
   collected in full. Depths are in a second map, of bytes, made with the chunk's first
   pin that is not permanent.

   Invariant: what a pinned or frozen object points to is static, frozen, or pinned at
   most as deep. [hh_publish] keeps it: it pins all that its argument reaches, before
   the argument is stored. What belongs to another heap has been pinned by its owner,
   or we could not have it; if it is pinned deeper than asked for, so that it would
   expire too soon, it is lowered.

   Who writes a depth: the object's owner, when it pins it and when that expires;
   anybody, from deeper to less deep, by compare-and-set. The owner cannot let a pin
   expire meanwhile: whoever has the object by a pin of that depth is a task whose end
   the owner awaits. */

#include "hh.h"
#include <caml/globroots.h>
#include <stdlib.h>
#include <string.h>

/* {1 Pinning} */

static void *zeroed(size_t bytes) {
  void *p = calloc(1, bytes);
  if (!p) caml_fatal_error("heap: out of memory");
  return p;
}

/* For the heap's owner to let it expire. */
static void note(heap *h, value v, int depth) {
  if (depth == PERMANENT || h->disordered) return;
  if (!h->levels) h->levels = zeroed((DEEPEST + 1) * sizeof *h->levels);
  hh_push(&h->levels[depth], v);
}

static void set_bits(domain *d, chunk *c, value v) {
  mlsize_t words = Whsize_val(v);
  if (!c->pin) c->pin = zeroed(bits_bytes(c->bytes >> 3));
  bits_set(c->pin, (size_t)((char *)Hp_val(v) - c->base) >> 3, words);
  c->pinned += Bsize_wsize(words);
  if (c->young && !c->large) hh_count(d->figures.promoted, Bsize_wsize(words));
}

/* The depths of an object's words, its header's too. */
static unsigned char *depths(chunk *c, value v, size_t *n) {
  *n = c->large ? 1 : Whsize_val(v);
  return hh_depth_at(c, c->large ? v : (value)Hp_val(v));
}

static void set_depth(chunk *c, value v, int depth) {
  size_t n;
  if (!c->depth) c->depth = zeroed(c->large ? 1 : c->bytes >> 3);
  unsigned char *p = depths(c, v, &n);
  memset(p, depth, n);
}

static void pin(domain *d, chunk *c, value v, int was, int depth) {
  if (depth != PERMANENT || was == EXPIRED) set_depth(c, v, depth);
  if (was == UNPINNED) set_bits(d, c, v);
  else c->expired -= Bhsize_hd(Hd_val(v));
  hh_count(d->figures.pinned, Bhsize_hd(Hd_val(v)));
  note(d->leaf, v, depth);
}

static int lowered_to(unsigned char *p, unsigned char *was, int depth) {
  return __atomic_compare_exchange_n(p, was, (unsigned char)depth, 0,
                                     __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST);
}

/* 1 if it was deeper. Each exchange is a full fence: who stores into the object
   later sees its new depth, and what was stored before is seen by the walk. */
static int lower(chunk *c, value v, int depth) {
  size_t n;
  unsigned char *p = depths(c, v, &n);
  int lowered = 0;
  for (size_t i = 0; i < n; i++) {
    unsigned char was = __atomic_load_n(p + i, __ATOMIC_SEQ_CST);
    while (was > depth && !lowered_to(p + i, &was, depth)) {}
    lowered |= was > depth;
  }
  return lowered;
}

/* {1 Publishing} */

static void push(domain *d, value v) {
  if (Tag_val(v) < No_scan_tag || is_ephemeron(v)) hh_push(&d->pins, v);
}

static void visit(domain *d, value v, int depth) {
  if (!Is_block(v)) return;
  chunk *c = chunk_of(v);
  if (!c || c->heap == &hh_frozen) return;
  if (Tag_val(v) == Infix_tag) v -= Infix_offset_val(v);
  int was = hh_pin_of(c, v);
  if (hh_shared_pin(was)) {
    if (was > depth && lower(c, v, depth)) {
      if (c->heap == d->leaf) note(d->leaf, v, depth);
      push(d, v);
    }
  } else if (c->heap == d->leaf) {
    pin(d, c, v, was, depth);
    push(d, v);
  }
}

/* A scanning action knows whose it is, not how deep: that is in the domain. */
static void visit_root(void *data, value v, volatile value *p) {
  (void)p;
  visit(data, v, ((domain *)data)->depth);
}

static void visit_fields(domain *d, value v, int depth) {
  tag_t tag = Tag_val(v);
  mlsize_t i = 0, n = Wosize_val(v);
  if (tag == Closure_tag)
    i = Start_env_closinfo(Closinfo_val(v));
  else if (tag == Cont_tag) {
    struct stack_info *stack = Ptr_val(Field(v, 0));
    if (stack) {
      d->depth = depth;
      caml_scan_stack(visit_root, 0, d, stack, 0);
    }
    i = 1;
  }
  for (; i < n; i++) visit(d, Field(v, i), depth);
}

static void publish_all(domain *d, int depth) {
  while (d->pins.count > 0) visit_fields(d, d->pins.at[--d->pins.count], depth);
}

/* In a domain's own leaf nothing expires: what is there is not one task's. */
void hh_hand_over(value v, int depth) {
  domain *d = hh_self;
  if (!d->leaf->task) depth = PERMANENT;
  visit(d, v, depth);
  publish_all(d, depth);
}

/* This is entanglement: what a fork hands over its tasks could do without. */
void hh_publish(value v, int depth) {
  figures *f = &hh_self->figures;
  size_t before = f->pinned;
  hh_hand_over(v, depth);
  if (f->pinned == before) return;
  hh_count(f->publications, 1);
  hh_count(f->entangled, f->pinned - before);
}

void hh_publish_globals(void) {
  domain *d = hh_self;
  d->depth = PERMANENT;
  caml_scan_global_roots(visit_root, d);
  publish_all(d, PERMANENT);
}

/* Before the domain leaves its leaf. */
void hh_publish_roots(domain *d) {
  d->depth = PERMANENT;
  hh_scan_domain(d, d, visit_root);
  hh_scan_running_task(d, visit_root);
  publish_all(d, PERMANENT);
}

int hh_depth_of(chunk *c, value field) {
  if (!c || c->heap == &hh_frozen) return PERMANENT;
  int pin = hh_pin_of(c, field);
  return hh_shared_pin(pin) ? pin : PERMANENT;
}

/* {1 Expiring} */

static void expire(heap *h, value v) {
  chunk *c = chunk_of(v);
  int pin = hh_pin_of(c, v);
  if (!hh_shared_pin(pin)) return;
  if (pin <= h->depth) {
    note(h, v, pin);
    return;
  }
  set_depth(c, v, EXPIRED);
  c->expired += Bhsize_hd(Hd_val(v));
  hh_count(hh_self->figures.unpinned, Bhsize_hd(Hd_val(v)));
}

void hh_expire(heap *h) {
  if (!h->levels || h->disordered) return;
  for (int depth = h->depth + 1; depth <= DEEPEST; depth++) {
    values *l = &h->levels[depth];
    for (size_t i = 0; i < l->count; i++) expire(h, l->at[i]);
    l->count = 0;
  }
}

static void unpin(chunk *c, size_t from, size_t to) {
  bits_clear(c->pin, from, to - from);
  c->pinned -= (to - from) << 3;
  c->expired -= (to - from) << 3;
}

static void unpin_expired(chunk *c) {
  size_t words = c->bytes >> 3;
  for (size_t i = 0, from; i < words; i++) {
    for (from = i; i < words && c->depth[i] == EXPIRED; i++) c->depth[i] = 0;
    if (i > from) unpin(c, from, i);
  }
}

void hh_forget_expired(chunk *c) {
  if (c->depth && !c->large) unpin_expired(c);
  if (c->depth && c->large && *c->depth == EXPIRED) hh_unpin(c);
  else if (c->pin && c->pinned == 0) hh_unpin(c);
}

void hh_unpin(chunk *c) {
  free(c->pin);
  free(c->depth);
  c->pin = NULL;
  c->depth = NULL;
  hh_count(hh_self->figures.unpinned, c->pinned - c->expired);
  c->pinned = c->expired = 0;
}
