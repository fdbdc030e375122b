/* Pins: what others may reach stays where it is.

   A chunk's pin map has a bit for each word, set for every word of a pinned object (so
   that the address of a field tells as well) and for its header. It is made with the
   chunk's first pin, and written by the chunk's owner alone. A pin is permanent, until
   the world is stopped for a collection, or has a depth: that of the fork for whose
   branch the object was published. When that branch has been joined the pin has expired
   ([hh_expire]): the object is private again, and stays where it is until its heap is
   collected in full. How deep is what a chunk's pins are depth.c keeps.

   Invariant: what a pinned or frozen object points to is static, frozen, or pinned at
   most as deep. publish.c keeps it: it pins all that a value reaches, before that is
   stored. What belongs to another heap has been pinned by its owner, or we could not
   have it; if it is pinned deeper than asked for, so that it would expire too soon, it is
   lowered (lowering.c). */

#include "seen.h"
#include <stdlib.h>

/* {1 Pinning} */

static void make_pins(chunk *c) {
  c->pin = calloc(1, c->large ? sizeof(bits) : bits_bytes(c->bytes >> 3));
  if (!c->pin) caml_fatal_error("heap: out of memory");
  hh_count(hh_self->figures.pinned_chunks, c->bytes);
}

/* Of who pins v, which was not. */
static inline void set_bits(domain *d, chunk *c, value v, size_t bytes) {
  if (!c->pin) make_pins(c);
  if (!c->large) bits_set(c->pin, hh_word_of(c, (value)Hp_val(v)), bytes >> 3);
  hh_has_pinned(d, c, bytes);
}

/* In a cycle. What an unscanned domain has pinned is still to be traced, and so is what
   was shared before. */
static __attribute__((noinline)) void meet(domain *d, chunk *c, value v, int was_private) {
  if (!hh_watches(d)) {
    hh_still_see(c, v, d->cycle);
  } else if (!was_private)
    hh_shade_again(&d->greys, c, v);
  else if (d->has_scanned)
    hh_see(c, v);
  else
    hh_shade_new(&d->greys, c, v);
}

static void pin(domain *d, chunk *c, value v, int was, header_t header) {
  size_t bytes = Bhsize_hd(header);
  if (c->depth || c->same != d->depth) hh_set_depth(c, v, d->depth);
  if (was == UNPINNED) set_bits(d, c, v, bytes);
  else c->expired -= bytes;
  hh_count(d->figures.pinned, bytes);
  if (!hh_noted(c, d->depth)) hh_note_pin(d->leaf, c, d->depth);
  if (hh_must_be_met(d, c)) meet(d, c, v, 1);
}

/* {1 Plain chunks}, of the domain's leaf, where bits are all that a pin takes, and depths if
   there is a map of them, since others like it are there. The domain keeps in mind the one
   that it is at until the walk ends or its depth changes; who makes a map meanwhile, and
   lowers pins there, fills it with the depth that all have. */

void hh_leave_plain(domain *d) {
  if (d->plain.bytes == 0) return;
  hh_has_pinned(d, d->plain_chunk, d->plain.bytes);
  hh_count(d->figures.pinned, d->plain.bytes);
  d->plain.bytes = 0;
}

int hh_find_plain(domain *d, chunk *c) {
  if (c->heap != d->leaf || c->all || !c->pin || c->large) return 0;
  unsigned char *depth = __atomic_load_n(&c->depth, __ATOMIC_ACQUIRE);
  if (!hh_takes_more(d, c, depth, d->depth)) return 0;
  hh_leave_plain(d);
  d->plain = (plain){(size_t)c->base, c->pin, depth, 0};
  d->plain_chunk = c;
  return 1;
}

void hh_publish_at(domain *d, int depth) {
  hh_leave_plain(d);
  d->plain.base = 0; /* no value is so near to that */
  d->depth = depth;
}

/* {1 Lowering}, to the domain's depth. */

/* From here on only this domain stores. The field that it stores into may have been
   lowered meanwhile: then all that was visited is visited again. */
static void start_lowering(domain *d) {
  hh_keep_out(d);
  if (!d->into) return;
  int depth = hh_depth_of(chunk_of(d->into), d->into);
  if (depth >= d->depth) return;
  hh_publish_at(d, depth);
  hh_visit(d, d->stored);
}

/* 1 if it is pinned deeper; it is not lowered by others then. */
static int may_lower(domain *d, chunk *c, value v) {
  if (hh_pin_of(c, v) <= d->depth) return 0;
  if (!d->lowers) start_lowering(d);
  return hh_pin_of(c, v) > d->depth;
}

/* One in a chunk that is pinned as a whole gets a pin of its own. Returns what that was. */
static int pin_longer(domain *d, chunk *c, value v, int depth) {
  int own = hh_own_pin_of(c, v);
  size_t bytes = Bhsize_hd(Hd_val(v));
  if (own == EXPIRED) c->expired -= bytes;
  if (hh_may_be_met(d, c)) meet(d, c, v, 0); /* before its owner finds it pinned for good */
  hh_set_depth(c, v, depth);
  if (own == UNPINNED) set_bits(d, c, v, bytes);
  if (!hh_shared_pin(own)) hh_count(d->figures.pinned, bytes);
  return own;
}

/* The chunk's owner learns of it. */
static int lower(domain *d, chunk *c, value v) {
  if (!may_lower(d, c, v)) return 0;
  if (!hh_shared_pin(pin_longer(d, c, v, d->depth)))
    hh_push(&c->heap->lowered, v);
  else if (c->heap == d->leaf)
    hh_note_pin(d->leaf, c, d->depth);
  else
    __atomic_store_n(&c->lowered, 1, __ATOMIC_RELEASE);
  return hh_has_fields(v, Hd_val(v));
}

/* Whoever has a pinned continuation may resume it at any moment, and nobody may walk its
   stack then. It is walked once, by its owner, before others have it: what is published
   with a continuation is so permanently, and never lowered. */
static void permanently(domain *d) {
  hh_publish_at(d, PERMANENT);
  hh_visit(d, d->stored);
}

/* One that was set apart with all that was around it: nothing that its stack may lead
   to expires any more. */
static void strand(domain *d, chunk *c, value v) {
  if (!may_lower(d, c, v)) return;
  pin_longer(d, c, v, PERMANENT);
  hh_strand(c->heap);
}

/* What another heap has not published yet, as all have just been collected: it comes later,
   and perhaps not for good. */
static void note_later(domain *d, value v) {
  if (d->noting && d->depth == PERMANENT) hh_push(&d->elsewhere, ((foreign){v, PERMANENT}));
}

value hh_pin_one(domain *d, chunk *c, value v) {
  if (hh_watches(d) && !d->has_scanned) hh_shade(&d->greys, v);
  if (c->heap->frozen || hh_all_pinned(c, d->depth)) return 0;
  int was = hh_pin_of(c, v);
  if (hh_shared_pin(was) && was <= d->depth) return 0; /* its header is not looked at */
  if (Tag_val(v) == Infix_tag) v -= Infix_offset_val(v);
  if (was != PERMANENT && Tag_val(v) == Cont_tag) {
    if (hh_shared_pin(was)) {
      strand(d, c, v);
      return 0;
    }
    if (d->depth != PERMANENT) permanently(d);
    was = hh_pin_of(c, v);
  }
  if (was == PERMANENT) return 0;
  if (hh_shared_pin(was)) return lower(d, c, v) ? v : 0;
  if (c->heap != d->leaf) {
    note_later(d, v);
    return 0;
  }
  header_t header = Hd_val(v);
  pin(d, c, v, was, header);
  return hh_has_fields(v, header) ? v : 0;
}
