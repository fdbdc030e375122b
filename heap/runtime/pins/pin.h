/* Pins: the inline part, and what pin.c offers. A part of hh.h.

   publish.c pins through the functions here; stores use the fast paths. Code that reads
   the pin of an object in another domain's chunk must use [hh_pin_from]. */

#ifndef HH_PIN_H
#define HH_PIN_H

/* The pin depth of a word's object: */

enum {
  UNPINNED = 0,
  PERMANENT = 1, /* until a stop of the world collects */
  DEEPEST = 62,  /* depths 2 to 62: until the join of the fork of that depth */
  EXPIRED = 255  /* private again; a full collection may move the object */
};

static inline size_t hh_word_of(chunk *c, value v) {
  return (size_t)((char *)v - c->base) >> 3;
}
/* The map of a large object has a single byte. */
static inline unsigned char *hh_depth_at(chunk *c, value v) {
  return c->depth + (c->large ? 0 : hh_word_of(c, v));
}
static inline int hh_has_own_pin(chunk *c, value v) {
  return c->pin && (c->large || bits_at(c->pin, hh_word_of(c, v)));
}
static inline int hh_unpinned(chunk *c, value v) { return !c->all && !hh_has_own_pin(c, v); }
static inline int hh_own_pin_of(chunk *c, value v) {
  if (!hh_has_own_pin(c, v)) return UNPINNED;
  if (!__atomic_load_n(&c->depth, __ATOMIC_RELAXED)) return c->same;
  return __atomic_load_n(hh_depth_at(c, v), __ATOMIC_RELAXED);
}
static inline int hh_shared_pin(int pin) { return pin != UNPINNED && pin != EXPIRED; }
static inline int hh_pin_of(chunk *c, value v) {
  int pin = hh_own_pin_of(c, v), all = c->all;
  return all && (!hh_shared_pin(pin) || pin > all) ? all : pin;
}
static inline int hh_pinned(chunk *c, value v) { return hh_shared_pin(hh_pin_of(c, v)); }

/* 1 if a full collection found [v] dead and moved nothing in the chunk. */
static inline int hh_left_dead(chunk *c, value v) {
  return c->marks && !bits_at(c->marks, (size_t)((char *)Hp_val(v) - c->base) >> 3);
}

static inline int hh_has_fields(value v, header_t header) {
  return Tag_hd(header) < No_scan_tag || is_ephemeron(v);
}

/* 1 if a bulk pin covers the whole chunk, as deep as [depth] or less. Reads neither
   the object nor a map. */
static inline int hh_all_pinned(chunk *c, int depth) { return c->all && c->all <= depth; }

/* Counts [bytes] more as pinned, in the chunk and in the domain's figures. */
static inline void hh_has_pinned(domain *d, chunk *c, size_t bytes) {
  c->pinned += bytes;
  if (!c->young || c->large) return;
  hh_count(d->figures.promoted, bytes);
  if (c->hole > c->base) hh_count(d->figures.refilled, bytes);
}

/* Writes the pin depth of an object of [words] words, header included, from [at] on. */
static inline void hh_fill_depths(unsigned char *at, int depth, size_t words) {
  uint64_t all = (uint64_t)depth * 0x0101010101010101u;
  unsigned char *end = at + words;
  if (words > 64) memset(at, depth, words);
  else if (words < 4) {
    memcpy(at, &all, 2);
    memcpy(end - 2, &all, 2);
  } else if (words < 8) {
    memcpy(at, &all, 4);
    memcpy(end - 4, &all, 4);
  } else {
    for (; at + 8 <= end; at += 8) memcpy(at, &all, 8);
    memcpy(end - 8, &all, 8);
  }
}

/* The plain chunk of a domain is the chunk that the domain
   is pinning objects in. A pin there only sets bits, adds to a sum of bytes, and
   writes depths if the chunk has a map of depths. */

void hh_publish_at(domain *, int depth);  /* sets the depth from now on; forgets the
                                             plain chunk */
int hh_find_plain(domain *, chunk *);     /* makes the chunk the plain chunk if
                                             possible; 1 if done */
void hh_leave_plain(domain *);            /* adds the sum of bytes to the figures */
value hh_pin_one(domain *, chunk *, value); /* pins [v]; returns the block if its
                                               fields are still to be visited, else 0 */

/* 1 if no domain is lowering pins. After a 1, no domain lowers until [hh_stored]. */
static inline int hh_may_store(domain *d) {
  atomic_store_explicit(&d->storing, 1, memory_order_relaxed);
  if (hh_fences_all) atomic_signal_fence(memory_order_seq_cst);
  else atomic_thread_fence(memory_order_seq_cst);
  return !atomic_load(&hh_lowering);
}

/* Announces a store that depends on pin depths. From here until [hh_stored], no depth
   changes. */
static inline void hh_announce(domain *d) {
  if (!d->storing && !d->lowers && !hh_may_store(d)) hh_announce_later(d);
}

static inline void hh_stored(domain *d) {
  if (d->lowers) hh_has_lowered(d);
  else if (d->storing) atomic_store_explicit(&d->storing, 0, memory_order_release);
}
static inline int hh_noted(chunk *c, int depth) { return c->noted >> depth & 1; }

/* The pin of [v], read by a domain that owns [leaf]. An object of another heap must be
   pinned, else the domain could not have a pointer to the object. Therefore the pin
   map, which the owner writes all the time, is not read. */
static inline int hh_pin_from(heap *leaf, chunk *c, value v) {
  if (c->heap == leaf || c->all) return hh_pin_of(c, v);
  if (!__atomic_load_n(&c->depth, __ATOMIC_ACQUIRE)) return c->same;
  return __atomic_load_n(hh_depth_at(c, v), __ATOMIC_RELAXED);
}

/* 1 if a value stored into the chunk must be published at a depth that depends on the
   field. Once every pin of a chunk is permanent, all later pins are permanent too. */
static inline int hh_goes_by_depth(chunk *c) {
  return !c->heap->frozen && !hh_stranded &&
         (__atomic_load_n(&c->depth, __ATOMIC_RELAXED) || hh_read(c->same) > PERMANENT || c->all > PERMANENT);
}

/* The depth at which a value must be published before a store into [field]. */
static inline int hh_depth_of(chunk *c, value field) {
  if (!c || c->heap->frozen || hh_stranded) return PERMANENT;
  int pin = hh_pin_from(hh_self->leaf, c, field);
  return hh_shared_pin(pin) ? pin : PERMANENT;
}

#endif
