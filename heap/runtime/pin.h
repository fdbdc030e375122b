/* Pins. A part of hh.h. */

#ifndef HH_PIN_H
#define HH_PIN_H

/* {1 Pins} (pin.c, depth.c, lowering.c, apart.c). What a word says of its object: */

enum {
  UNPINNED = 0,
  PERMANENT = 1, /* until the world is stopped for a collection */
  DEEPEST = 62,  /* 2 to here: until the join of that depth */
  EXPIRED = 255  /* private again; stays where it is until a full collection */
};

static inline size_t hh_word_of(chunk *c, value v) {
  return (size_t)((char *)v - c->base) >> 3;
}
/* A large object has one byte. */
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

/* v was found dead by a full collection that moved nothing in its chunk. */
static inline int hh_left_dead(chunk *c, value v) {
  return c->marks && !bits_at(c->marks, (size_t)((char *)Hp_val(v) - c->base) >> 3);
}

static inline int hh_has_fields(value v, header_t header) {
  return Tag_hd(header) < No_scan_tag || is_ephemeron(v);
}

/* All that is in it, as deep or less; no object or map is looked at. */
static inline int hh_all_pinned(chunk *c, int depth) { return c->all && c->all <= depth; }

/* So many bytes more, of the domain's. */
static inline void hh_has_pinned(domain *d, chunk *c, size_t bytes) {
  c->pinned += bytes;
  if (!c->young || c->large) return;
  hh_count(d->figures.promoted, bytes);
  if (c->hole > c->base) hh_count(d->figures.refilled, bytes);
}

/* Of an object, with its header: [at] is that word's. */
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

/* {1 Publishing} (publish.c). In the domain's plain chunk, where it is pinning, an unpinned
   object takes nothing but its bits, a sum of bytes and what the map of depths has of it, if
   there is one. */

void hh_publish_at(domain *, int depth);  /* from now on; there is no plain chunk */
int hh_find_plain(domain *, chunk *);     /* is it one? */
void hh_leave_plain(domain *);            /* what was pinned there is counted */
value hh_pin_one(domain *, chunk *, value); /* if its fields are to be visited, the
                                               block, else 0 */
void hh_visit(domain *, value);           /* pins it; its fields come later */

/* v may be anything. A store's, as deep as its field is; a fork's, a domain's or a
   task's. Then it is stored, and that is said. */
void hh_publish(value field, chunk *, value v, chunk *of_v), hh_hand_over(value v, int depth);
void hh_give_to_all(domain *, value); /* for good, if there are others; and has said so */
void hh_init_lowering(void), hh_keep_out(domain *); /* lowering.c */
void hh_announce_later(domain *), hh_has_lowered(domain *);
extern _Atomic int hh_lowering;
extern int hh_fences_all;

/* 1 if nobody lowers; then nobody does until [hh_stored]. */
static inline int hh_may_store(domain *d) {
  atomic_store_explicit(&d->storing, 1, memory_order_relaxed);
  if (hh_fences_all) atomic_signal_fence(memory_order_seq_cst);
  else atomic_thread_fence(memory_order_seq_cst);
  return !atomic_load(&hh_lowering);
}

/* Until [hh_stored]. Depths do not change from here on. */
static inline void hh_announce(domain *d) {
  if (!d->storing && !d->lowers && !hh_may_store(d)) hh_announce_later(d);
}

static inline void hh_stored(domain *d) {
  if (d->lowers) hh_has_lowered(d);
  else if (d->storing) atomic_store_explicit(&d->storing, 0, memory_order_release);
}
void hh_note_lowered(heap *), hh_merge_lowered(heap *to, heap *from);
void hh_before_fork(domain *); /* may collect; apart.c */
void hh_set_apart(domain *, int depth);
int hh_puts_off(heap *);    /* a join lets nothing expire */
size_t hh_put_off(heap *, lived *); /* bytes that only a full collection lets expire;
                                            and what of them may live, which is added */
void hh_hand_over_to_task(value v, int depth);
void hh_bring_all_back(heap *); /* when it is everybody's, or there is no other */
void hh_strand(heap *);     /* a continuation there is for all to resume */
extern _Atomic int hh_stranded;
void hh_bring_back(heap *); /* what was set apart deeper than the heap's depth */
void hh_publish_globals(void), hh_publish_roots(domain *);
void hh_unpin(chunk *);         /* nobody else can reach what is in it */
void hh_forget_expired(chunk *); /* they are unpinned */
bits hh_expired_at(chunk *, size_t i); /* of 64 words; it has a map of depths */
bits hh_deeper_at(chunk *, size_t i, int depth); /* or as deep */
void hh_pin_marked(chunk *);    /* what expired stays, if it was marked */
void hh_expire(heap *);         /* what is pinned deeper than the heap's depth */
void hh_set_depth(chunk *, value, int); /* before it is pinned, if it was not */
void hh_pin_again(heap *, chunk *, int); /* what is pinned deeper there, or has expired */
void hh_note_pin(heap *, chunk *, int); /* for the heap's owner to let it expire */
static inline int hh_noted(chunk *c, int depth) { return c->noted >> depth & 1; }

/* What is in another's chunk is pinned, or we could not have it. So nothing is looked up in
   the map of pins, which its owner writes all the time. */
static inline int hh_pin_from(heap *leaf, chunk *c, value v) {
  if (c->heap == leaf || c->all) return hh_pin_of(c, v);
  if (!__atomic_load_n(&c->depth, __ATOMIC_ACQUIRE)) return c->same;
  return __atomic_load_n(hh_depth_at(c, v), __ATOMIC_RELAXED);
}

/* Of what is stored there somebody may have to know how deep it is pinned: for good once,
   for good always. */
static inline int hh_goes_by_depth(chunk *c) {
  return !c->heap->frozen && !hh_stranded &&
         (__atomic_load_n(&c->depth, __ATOMIC_RELAXED) || hh_read(c->same) > PERMANENT || c->all > PERMANENT);
}

/* The depth at which a value has to be published before it is stored there. */
static inline int hh_depth_of(chunk *c, value field) {
  if (!c || c->heap->frozen || hh_stranded) return PERMANENT;
  int pin = hh_pin_from(hh_self->leaf, c, field);
  return hh_shared_pin(pin) ? pin : PERMANENT;
}

#endif
