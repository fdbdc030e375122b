/* Objects allocated by C code. */

#include "hh.h"

static const size_t large_bytes = 32 << 10;

static value in_young(domain *d, mlsize_t wosize, header_t header) {
  size_t words = Whsize_wosize(wosize);
  caml_domain_state *s = d->state;
  if (!hh_room_for(s, words)) hh_large_area(d, Bsize_wsize(words) + Cache_line_bsize);
  s->young_ptr -= words;
  *(header_t *)s->young_ptr = header;
  return Val_hp(s->young_ptr);
}

static value in_own_chunk(domain *d, mlsize_t wosize, header_t header) {
  size_t bytes = Bhsize_wosize(wosize);
  chunk *c = hh_room_beside(bytes) ? hh_young_chunk(d, bytes) : NULL;
  if (!c) return 0;
  c->large = 1;
  c->fill = c->base + bytes;
  d->leaf->grown += bytes;
  hh_count(d->figures.large, bytes);
  *(header_t *)c->base = header;
  return Val_hp(c->base);
}

/* Called when memory is out: asks for a global collection at the next poll point. The
   caller reports the failure, and does not call for a request larger than the whole
   heap. */
void hh_refuse(domain *d) {
  d->state->requested_global_major_slice = 1;
  hh_interrupt(d);
}

/* Returns 0 if memory is out. Never collects. */
static value allocate(mlsize_t wosize, tag_t tag, reserved_t reserved) {
  if (wosize > Max_wosize) return 0;
  (void)reserved; /* in stock's default build, headers have no reserved bits */
  if (wosize == 0) return Atom(tag);
  domain *d = hh_self;
  size_t before = d->leaf->grown;
  header_t header = Make_header_with_reserved(wosize, tag, 0, reserved);
  value v = Bhsize_wosize(wosize) <= large_bytes ? in_young(d, wosize, header)
                                                 : in_own_chunk(d, wosize, header);
  if (!v && Bhsize_wosize(wosize) <= hh_held()) hh_refuse(d);
  if (before >= d->nursery && d->leaf->grown > before) {
    d->state->requested_minor_gc = 1;
    caml_reset_young_limit(d->state);
  }
  return v;
}

/* Notes a custom block: the caller does not say whether the block has a finaliser. */
static value noted(value v, tag_t tag) {
  if (v && tag == Custom_tag)
    hh_push(&hh_self->leaf->young_customs, ((custom){v, 0, 0}));
  return v;
}

value caml_alloc_shr_reserved(mlsize_t wosize, tag_t tag, reserved_t reserved) {
  value v = noted(allocate(wosize, tag, reserved), tag);
  if (!v) caml_raise_out_of_memory();
  return v;
}

value caml_alloc_shr(mlsize_t wosize, tag_t tag) {
  return caml_alloc_shr_reserved(wosize, tag, 0);
}

value caml_alloc_shr_noexc(mlsize_t wosize, tag_t tag) {
  return noted(allocate(wosize, tag, 0), tag);
}

/* Serves unmarshalling, which notes blocks with finalisers itself. */
value *caml_shared_try_alloc(struct caml_heap_state *unused, mlsize_t wosize,
                             tag_t tag, reserved_t reserved) {
  (void)unused;
  value v = allocate(wosize, tag, reserved);
  return v ? (value *)Hp_val(v) : NULL;
}

/* Makes an atomic with a cache line for itself. If the area has no whole line left,
   the fresh area ends with a line. */
value caml_atomic_make_contended(value v) {
  CAMLparam1(v);
  caml_domain_state *s = Caml_state;
  value *line = (value *)((uintnat)s->young_ptr & ~(uintnat)(Cache_line_bsize - 1));
  if (line >= s->young_start) s->young_ptr = line;
  mlsize_t n = Wosize_bhsize(Cache_line_bsize);
  value r = caml_alloc_shr(n, 0);
  *Hp_val(r) = Hd_with_color(Hd_val(r), ALIGNED_COLOUR);
  Field(r, 0) = v;
  for (mlsize_t i = 1; i < n; i++) Field(r, i) = Val_unit;
  CAMLreturn(r);
}
