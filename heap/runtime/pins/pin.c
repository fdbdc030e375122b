/* Pins: objects that other domains may reach stay in place.

   The file offers [hh_pin_one], which pins a single object; publish.c calls the
   function for each object of a walk. Only the owner of a chunk sets pin bits, and
   nothing here moves an object.

   The pin map of a chunk has a bit for each word. Every word of a pinned object is
   set, header included, so that the address of a field tells as well. The chunk's
   first pin makes the map. depth.c keeps the depths.

       pin          set by                       ends with
       PERMANENT    publishing, lowering         a cycle's sweep, a stop of the world
       2 .. 62      publishing for a fork        the join of that fork: EXPIRED;
                                                 or lowering: less deep
       EXPIRED      the join ([hh_expire])       a full collection of the heap; or a
                                                 new pin. The object is private again
                                                 and stays in place

   Invariant: a pinned or frozen object points only to static objects, to frozen
   objects, and to objects pinned at most as deep. publish.c keeps the invariant:
   before a store, it pins all objects that the value reaches. An object of another
   heap was pinned by its owner, or this domain could not have a pointer to the object.
   A pin deeper than asked for would expire too soon, so the pin is lowered
   (lowering.c). */

#include "hh.h"
#include <stdlib.h>

/* {1 Pinning} */

static void make_pins(chunk *c) {
  c->pin = calloc(1, c->large ? sizeof(bits) : bits_bytes(c->bytes >> 3));
  if (!c->pin) caml_fatal_error("heap: out of memory");
  hh_count(hh_self->figures.pinned_chunks, c->bytes);
}

/* Sets the pin bits of [v], which had no pin. */
static inline void set_bits(domain *d, chunk *c, value v, size_t bytes) {
  if (!c->pin) make_pins(c);
  if (!c->large) bits_set(c->pin, hh_word_of(c, (value)Hp_val(v)), bytes >> 3);
  hh_has_pinned(d, c, bytes);
}

/* Marks a newly pinned object during a cycle. Before the domain has answered SYNC1,
   the mark goes into the bitmap of the last cycle. If the domain has not been
   scanned, the object must also be traced; so must an object that was shared
   before. */
static __attribute__((noinline)) void meet(domain *d, chunk *c, value v, int was_private) {
  if (!hh_watches(d)) {
    hh_set_mark_in(c, v, d->cycle);
  } else if (!was_private)
    hh_shade_again(&d->greys, c, v);
  else if (d->has_scanned)
    hh_set_mark(c, v);
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
  if (hh_must_mark(d, c)) meet(d, c, v, 1);
}

/* {1 Plain chunks}. In a plain chunk of the domain's leaf, a new pin only sets bits,
   and writes depths if the chunk has a map of depths. The domain remembers its plain
   chunk until the walk ends or the depth changes. Another domain may meanwhile make a
   map of depths in order to lower pins; it fills the map with the depth that all pins
   of the chunk have. */

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
  d->plain.base = 0; /* every value is greater than CHUNK_BYTES */
  d->depth = depth;
}

/* {1 Lowering} to the domain's depth. */

/* Keeps the stores of other domains out. Another domain may have lowered the object of
   the field earlier: then the depth of this store decreases, and the walk begins
   again. */
static void start_lowering(domain *d) {
  hh_keep_out(d);
  if (!d->into) return;
  int depth = hh_depth_of(chunk_of(d->into), d->into);
  if (depth >= d->depth) return;
  hh_publish_at(d, depth);
  hh_visit(d, d->stored);
}

/* 1 if [v] is pinned deeper than the domain's depth. After a 1, only this domain
   lowers. */
static int may_lower(domain *d, chunk *c, value v) {
  if (hh_pin_of(c, v) <= d->depth) return 0;
  if (!d->lowers) start_lowering(d);
  return hh_pin_of(c, v) > d->depth;
}

/* Pins [v] less deep; an object of a bulk-pinned chunk gets a pin of its own. Returns
   the pin that the object itself had. */
static int pin_longer(domain *d, chunk *c, value v, int depth) {
  int own = hh_own_pin_of(c, v);
  size_t bytes = Bhsize_hd(Hd_val(v));
  if (own == EXPIRED) c->expired -= bytes;
  if (hh_may_mark(d, c)) meet(d, c, v, 0); /* before the owner can see a permanent
                                                pin */
  hh_set_depth(c, v, depth);
  if (own == UNPINNED) set_bits(d, c, v, bytes);
  if (!hh_shared_pin(own)) hh_count(d->figures.pinned, bytes);
  return own;
}

/* Lowers [v] if necessary and leaves a note for the chunk's owner. Returns 1 if the
   fields of [v] are still to be visited. */
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

/* Publishes permanently from here on. A domain that reaches a pinned continuation may
   resume it at any moment, and no other domain may walk the stack then. Therefore the
   owner walks the stack once, before other domains can reach the continuation. A
   continuation, and all objects published with it, are therefore pinned permanently
   and never lowered. */
static void permanently(domain *d) {
  hh_publish_at(d, PERMANENT);
  hh_visit(d, d->stored);
}

/* Handles a continuation that was bulk-pinned with its neighbours and is now needed
   longer: objects that the stack may reach no longer expire. */
static void strand(domain *d, chunk *c, value v) {
  if (!may_lower(d, c, v)) return;
  pin_longer(d, c, v, PERMANENT);
  hh_strand(c->heap);
}

/* Notes an object of another heap that is not published yet, just after a global
   collection. The owner publishes the object later, perhaps not permanently. */
static void note_later(domain *d, value v) {
  if (d->noting && d->depth == PERMANENT) hh_push(&d->elsewhere, ((foreign){v, PERMANENT}));
}

value hh_pin_one(domain *d, chunk *c, value v) {
  if (hh_watches(d) && !d->has_scanned) hh_shade(&d->greys, v);
  if (c->heap->frozen || hh_all_pinned(c, d->depth)) return 0;
  int was = hh_pin_of(c, v);
  /* returns without a look at the header */
  if (hh_shared_pin(was) && was <= d->depth) return 0;
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
