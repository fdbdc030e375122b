/* Mark bitmaps: the objects that a cycle has marked.

   The map [mark_bits] of a chunk has a bit for each word. Marking an object sets the bits
   of all its words; the map of a large object has a single bit. A map belongs to the
   cycle [mark_bits_in], and is cleared at its first use in a later cycle. Any domain that
   marks, publishes or scans may set bits, with atomic operations. */

#ifndef HH_MARK_BITS_H
#define HH_MARK_BITS_H

void hh_renew_mark_bits(chunk *); /* empties the map for the present cycle */
int hh_has_mark(chunk *, value);
void hh_set_mark(chunk *, value); /* marks in the present cycle */
void hh_set_mark_in(chunk *, value, size_t cycle); /* if [cycle] still has the bitmap */
void hh_judge(heap *);

static inline bits *hh_mark_bits(chunk *c) {
  if (__atomic_load_n(&c->mark_bits_in, __ATOMIC_ACQUIRE) != hh_cycle) hh_renew_mark_bits(c);
  return c->mark_bits;
}

static inline size_t hh_mark_place(chunk *c, value v) {
  return c->large ? 0 : hh_word_of(c, (value)Hp_val(v));
}

static inline void hh_clear_mark_bit(bits *b, size_t i) {
  __atomic_fetch_and(&b[i >> 6], ~((bits)1 << (i & 63)), __ATOMIC_RELAXED);
}

/* The mask of [n] bits from [i] on, cut off at the end of the unit. */
static inline bits hh_bits_from(size_t i, size_t n) {
  return (n < 64 ? ((bits)1 << n) - 1 : ~(bits)0) << (i & 63);
}

static inline void hh_set_all_mark_bits(bits *b, size_t i, size_t n) {
  for (size_t end = i + n; i < end; i = (i | 63) + 1)
    __atomic_fetch_or(&b[i >> 6], hh_bits_from(i, end - i), __ATOMIC_RELAXED);
}

/* Sets [n] bits from [i] on; 1 if the first bit was 0. The load comes before the
   atomic or: an object that every domain reaches is marked already, and costs no cache
   line transfer. Most objects have all their bits in a single unit. */
static inline int hh_set_mark_bits(bits *b, size_t i, size_t n) {
  bits one = (bits)1 << (i & 63);
  if (__atomic_load_n(&b[i >> 6], __ATOMIC_RELAXED) & one) return 0;
  if (__atomic_fetch_or(&b[i >> 6], hh_bits_from(i, n), __ATOMIC_RELAXED) & one) return 0;
  size_t here = 64 - (i & 63);
  if (n > here) hh_set_all_mark_bits(b, i + here, n - here);
  return 1;
}

/* 1 if every object in the chunk counts as marked in this cycle. A heap is scanned
   before a scanned domain allocates in the heap, so the objects of such a chunk are
   younger than the scan. */
static inline int hh_all_marked(chunk *c) { return c->all_marked_in == hh_cycle; }

/* Marks [v]; 1 if [v] was not marked. A continuation gets only the bit of its header:
   the bit of its field is set after a scan of its stack. */
static inline int hh_mark(chunk *c, value v) {
  if (hh_all_marked(c)) return 0;
  size_t n = c->large || Tag_val(v) == Cont_tag ? 1 : Whsize_val(v);
  return hh_set_mark_bits(hh_mark_bits(c), hh_mark_place(c, v), n);
}

static inline value hh_whole(value v) {
  if (Tag_val(v) == Infix_tag) v -= Infix_offset_val(v);
  return v;
}

/* Pushes a marked object that may have fields to trace. */
static inline void hh_push_grey(greys *g, value v) {
  if (Tag_val(v) < No_scan_tag || is_ephemeron(v)) hh_push(g, ((grey){v, 0}));
}

/* For an object of chunk [c] that domain [d] pins now. hh_may_mark: the cycle may need a
   mark on the object, since it frees the unmarked objects of the chunk ([judged]), or
   since [d] takes part in the marking. hh_must_mark: the same, unless all objects of the
   chunk count as marked. */
static inline int hh_may_mark(domain *d, chunk *c) { return c->judged || hh_watches(d); }
static inline int hh_must_mark(domain *d, chunk *c) {
  return hh_may_mark(d, c) && !hh_all_marked(c);
}

/* 1 if a pin at [depth] needs no bookkeeping for the chunk: the level lists the chunk,
   the depth fits, and no cycle has to mark the object. */
static inline int hh_takes_more(domain *d, chunk *c, const unsigned char *depths, int depth) {
  return hh_noted(c, depth) && (depths || c->same == depth) && !hh_must_mark(d, c);
}

/* 1 if the shared object [v] is marked. */
static inline int hh_is_marked(chunk *c, value v) {
  if (hh_all_marked(c)) return 1;
  return __atomic_load_n(&c->mark_bits_in, __ATOMIC_ACQUIRE) == hh_cycle && hh_has_mark(c, hh_whole(v));
}

#endif
