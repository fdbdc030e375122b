/* Tracing: copying live objects out of the chunks under collection.

   Chunks under collection have [from] set. An object there is copied to the heap
   [d->to] when tracing first meets it. The old place keeps a header of 0, which no
   object in a heap has, and the new address in the first field (Cheney, CACM 1970). A
   large object is marked in its chunk instead, and so is an object in a chunk with
   mark bits. Copies lie in the chunks at the end of [to]'s old chunks and are scanned
   from there: copies need no stack.

   A young collection finds the objects in the processor's cache. A full collection
   does not, and prefetches ([far]). Both are compiled from the functions below. */

#include "hh.h"
#include "local/prefetch.h"
#include <string.h>
#include <time.h>

size_t hh_now_ns(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (size_t)t.tv_sec * 1000000000u + (size_t)t.tv_nsec;
}

/* {1 Copying} */

static chunk *open_chunk(domain *d) {
  heap *to = d->to;
  chunk *c = hh_new_chunk(to, CHUNK_BYTES);
  if (!c) caml_fatal_error("heap: out of memory while collecting");
  c->packed = d->packing ? PACKED : FILLED;
  hh_add_chunk(&to->old, c);
  to->open = c;
  if (!d->scan) {
    d->scan = c;
    d->scanned = c->base;
  }
  return c;
}

/* Begins the next object on a cache line, as each chunk does. The gap becomes an
   object that no pointer reaches. */
static void align(chunk *c) {
  size_t gap = -(size_t)c->fill & (Cache_line_bsize - 1);
  if (gap == 0) return;
  *(header_t *)c->fill = Make_header(Wsize_bsize(gap) - 1, Abstract_tag, GAP_COLOUR);
  c->fill += gap;
}

static inline void copy_words(header_t *to, const header_t *from, size_t bytes) {
  if (bytes > 64) memcpy(to, from, bytes);
  else
    for (size_t i = 0; i < bytes >> 3; i++) to[i] = from[i];
}

static inline value copy_one(domain *d, chunk *from, value v, header_t header) {
  size_t bytes = Bhsize_hd(header);
  from->kept += bytes;
  chunk *c = d->to->open;
  if (c && Color_hd(header) == ALIGNED_COLOUR) align(c);
  if (!c || c->fill + bytes > c->base + c->bytes) c = open_chunk(d);
  header_t *at = (header_t *)c->fill;
  copy_words(at, (header_t *)Hp_val(v), bytes);
  c->fill += bytes;
  hh_count(d->figures.copied, bytes);
  if (from->young && hh_pin_of(from, v) == UNPINNED) hh_count(d->figures.promoted, bytes);
  value moved = Val_hp(at);
  *Hp_val(v) = 0;
  Field(v, 0) = moved;
  return moved;
}

/* 1 if an object may not move. A young collection does not move objects whose pins
   have expired. */
static inline int stays(domain *d, chunk *c, value v) {
  if (!c->pin && !c->all) return 0;
  int pin = hh_pin_of(c, v);
  return pin != UNPINNED && (pin != EXPIRED || d->young_only);
}

/* The last field that holds a block; or the first field. */
static inline value *last_block(value v, header_t header) {
  value *first = (value *)v, *p = first + Wosize_hd(header) - 1;
  while (p > first && !Is_block(*p)) p--;
  return p;
}

/* Copies an object, then the object in its last pointer field right behind, and so on.
   A list keeps its order (Clark, "An empirical study of list structure in Lisp", CACM
   1977), and a node of a tree stands before its right spine. The scan later finds
   these fields updated. */
static value copy(domain *d, chunk *c, value v, header_t header) {
  value first = copy_one(d, c, v, header), moved = first;
  while (Tag_hd(header) < Cont_tag) {
    value *last = last_block(moved, header);
    v = *last;
    if (!Is_block(v) || !(c = chunk_of(v)) || !c->from || c->large || c->marks) break;
    header = Hd_val(v);
    if (header == 0 || Tag_hd(header) == Infix_tag || stays(d, c, v)) break;
    *last = moved = copy_one(d, c, v, header);
  }
  return first;
}

static void mark_large(domain *d, chunk *c) {
  if (c->marked) return;
  c->marked = 1;
  c->heap = d->to;
  value v = Val_hp(c->base);
  header_t header = Hd_val(v);
  if (Tag_hd(header) < No_scan_tag)
    hh_push(&d->large_marked, ((grey){v, hh_first_field(v, header)}));
}

static void mark_in_place(domain *d, chunk *c, value v, header_t header) {
  size_t word = (size_t)((char *)Hp_val(v) - c->base) >> 3;
  if (bits_at(c->marks, word)) return;
  bits_set(c->marks, word, 1);
  c->kept += Bhsize_hd(header);
  if (c->young && hh_pin_of(c, v) == UNPINNED)
    hh_count(d->figures.promoted, Bhsize_hd(header));
  if (Tag_hd(header) < No_scan_tag) hh_push(&d->stay, v);
}

/* Notes an object that another leaf has already, during a global collection: the
   object will have to be published. */
void hh_note(domain *d, value v, heap *of) {
  chunk *c = chunk_of(v);
  if (c && c->heap != of && !c->heap->frozen)
    hh_push(&d->elsewhere, ((foreign){v, hh_depth_for(c->heap, of)}));
}

static void note_place(domain *d, value v) {
  if (d->noting) hh_note(d, v, d->to);
}

static __attribute__((noinline)) void forward_from(domain *d, chunk *c, value v,
                                                   volatile value *p) {
  mlsize_t offset = 0;
  header_t header = Hd_val(v);
  if (Tag_hd(header) == Infix_tag && header != 0) {
    offset = Infix_offset_hd(header);
    v -= offset;
    header = Hd_val(v);
  }
  if (header == 0) {
    *p = Field(v, 0) + offset;
    note_place(d, Field(v, 0));
  } else if (c->large) {
    if (!stays(d, c, v)) mark_large(d, c);
    note_place(d, v);
  } else if (c->marks)
    mark_in_place(d, c, v, header);
  else if (!stays(d, c, v))
    *p = copy(d, c, v, header) + offset;
}

/* Prefetches [v] and puts its field into the ring; returns the field that held the
   place, or NULL. */
static inline volatile value *ask_for(domain *d, chunk *c, value v, volatile value *p) {
  hh_prefetch(c, v, c->marks);
  volatile value **place = &d->soon[d->next_soon++ % SOON], *before = *place;
  *place = p;
  return before;
}

ALIKE void forward(domain *d, value v, volatile value *p, int far) {
  chunk *c;
  if (!Is_block(v) || !(c = chunk_of(v))) return;
  if (!c->from) {
    note_place(d, v);
    return;
  }
  if (far && !hh_is_near(d->asked_for, v)) {
    if (!(p = ask_for(d, c, v, p))) return;
    v = *p;
    c = chunk_of(v);
  }
  forward_from(d, c, v, p);
}

void hh_forward(void *data, value v, volatile value *p) { forward(data, v, p, 0); }

/* Forwards the prefetched fields; 1 if the ring was not empty. */
static int forward_now(domain *d) {
  int some = 0;
  for (int i = 0; i < SOON; i++) {
    volatile value *p = d->soon[i];
    d->soon[i] = NULL;
    if (p) forward(d, *p, p, 0);
    some |= p != NULL;
  }
  return some;
}

/* {1 Scanning} */

static const mlsize_t piece = 128; /* fields of a large object scanned in a step */

ALIKE void scan_object(domain *d, value v, header_t header, int far) {
  tag_t tag = Tag_hd(header);
  if (tag >= No_scan_tag) return;
  mlsize_t i = hh_first_field(v, header), n = Wosize_hd(header);
  if (tag == Cont_tag) {
    struct stack_info *stack = Ptr_val(Field(v, 0));
    if (stack) caml_scan_stack(hh_forward, 0, d, stack, 0);
    i = 1;
  }
  for (; i < n; i++) forward(d, Field(v, i), &Field(v, i), far);
}

void hh_trace_start(domain *d, heap *to) {
  d->to = to;
  d->scan = to->open;
  d->scanned = to->open ? to->open->fill : NULL;
  d->large_marked.count = 0;
}

/* Scans the copies until no unscanned copy is left. The open chunk stays current,
   since more copies may come there. The next chunks in the list were opened later, or
   hold new large objects. */
ALIKE void scan_copied(domain *d, int far) {
  while (d->scan) {
    chunk *c = d->scan;
    char *p = d->scanned;
    while (p != c->fill) {
      header_t header = *(header_t *)p;
      scan_object(d, Val_hp(p), header, far);
      p += Bhsize_hd(header);
    }
    d->scanned = p;
    if (c == d->to->open) return;
    d->scan = c->next;
    d->scanned = c->next->base;
  }
}

/* Scans a piece of a large object. The objects that the piece reaches are traced
   before the next piece: so the stack stays small, and the objects are copied close
   together. */
ALIKE void scan_piece(domain *d, int far) {
  grey x = d->large_marked.at[--d->large_marked.count];
  mlsize_t n = Wosize_val(x.object), end = n - x.from > piece ? x.from + piece : n;
  if (end < n) hh_push(&d->large_marked, ((grey){x.object, end}));
  for (; x.from < end; x.from++)
    forward(d, Field(x.object, x.from), &Field(x.object, x.from), far);
}

/* Traces everything. A marked object is taken only when [scan_copied] has nothing
   left. */
ALIKE void trace_all(domain *d, int far) {
  for (;;) {
    scan_copied(d, far);
    if (d->stay.count > 0) {
      value v = d->stay.at[--d->stay.count];
      scan_object(d, v, Hd_val(v), far);
    } else if (d->large_marked.count > 0)
      scan_piece(d, far);
    else if (!far || !forward_now(d))
      return;
  }
}

void hh_trace(domain *d) {
  if (d->young_only) trace_all(d, 0);
  else trace_all(d, 1);
}

int hh_dead(volatile value *p) {
  value v = *p;
  chunk *c;
  if (!Is_block(v) || !(c = chunk_of(v)) || !c->from) return 0;
  mlsize_t offset = 0;
  if (Hd_val(v) != 0 && Tag_val(v) == Infix_tag) {
    offset = Infix_offset_val(v);
    v -= offset;
  }
  if (Hd_val(v) == 0) {
    *p = Field(v, 0) + offset;
    return 0;
  }
  if (c->marks) return !bits_at(c->marks, (size_t)((char *)Hp_val(v) - c->base) >> 3);
  return !stays(hh_self, c, v) && !(c->large && c->marked);
}

/* {1 Roots} */

void hh_scan_domain(void *d, domain *of, scanning_action f) {
  caml_domain_state *s = of->state;
  size_t before = hh_self->scanned_stacks;
  caml_do_local_roots(f, 0, d, s->local_roots, s->current_stack, s->gc_regs);
  scan_roots_hook hook = atomic_load(&caml_scan_roots_hook);
  if (hook) hook(f, 0, d, s);
  of->stacks = hh_self->scanned_stacks - before;
  f(d, s->dls_root, &s->dls_root);
  f(d, s->backtrace_last_exn, &s->backtrace_last_exn);
}
