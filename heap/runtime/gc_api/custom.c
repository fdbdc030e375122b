/* Custom blocks: finalisers, and the memory that custom blocks hold outside the heap.

   A custom block with a finaliser, or with outside memory, is noted when it is made:
   in the domain's table (stock's runtime/custom.c), or at the allocation of a large
   block (objects.c). After tracing, the finalisers of dead blocks are called.

   Outside memory makes collections come sooner: the allocating code states its size as
   a fraction. When the fractions add up to 1, a young or a full collection is due; if
   the full collection finds shared blocks, the bytes also count for the next cycle. */

#include "hh.h"
#include <stdlib.h>

void caml_realloc_custom_table(struct caml_custom_table *t) {
  size_t count = (size_t)(t->ptr - t->base);
  size_t room = count ? 2 * count : 256;
  t->base = realloc(t->base, room * sizeof *t->base);
  if (!t->base) caml_fatal_error("heap: out of memory");
  t->ptr = t->base + count;
  t->limit = t->end = t->threshold = t->base + room;
}

void hh_collect_new_customs(domain *d) {
  struct caml_custom_table *t = &d->state->minor_tables->custom;
  for (struct caml_custom_elt *e = t->base; e < t->ptr; e++)
    hh_push(&d->leaf->young_customs, ((custom){e->block, e->mem, e->max}));
  t->ptr = t->base;
}

static void finalise(value v) {
  void (*f)(value) = Custom_ops_val(v)->finalize;
  if (f) f(v);
}

static int keep(custom *c) {
  if (!hh_dead(&c->block)) return 1;
  finalise(c->block);
  return 0;
}

/* The bytes of outside memory at which a collection is due: two thirds of
   [custom_major_ratio] per cent of the heap's size. Stock's custom.c defines the
   function, and calls [caml_heap_size]. */
extern mlsize_t caml_custom_get_max_major(void);

/* Bytes counted for a shared block with a finaliser. The code that made the block
   often states no size, as for a part of a Bigarray. */
enum { UNTOLD = 1 << 10 };

static int is_shared(custom *c) {
  chunk *of = chunk_of(c->block);
  return of && hh_shared_pin(hh_pin_of(of, c->block));
}

static void sweep_old(heap *h) {
  size_t kept = 0, shared = hh_frozen.old_customs.count;
  for (size_t i = 0; i < h->old_customs.count; i++) {
    custom *c = &h->old_customs.at[i];
    if (!keep(c)) continue;
    shared += is_shared(c);
    h->old_customs.at[kept++] = *c;
  }
  h->old_customs.count = kept;
  if (hh_self->much_outside && shared > 0) hh_note_outside(caml_custom_get_max_major());
  hh_self->much_outside = 0;
}

/* Calls the finalisers of dead blocks. When a block survives a young collection, its
   outside memory [mem] begins to count for full collections; before, the memory
   counted for young collections. */
void hh_sweep_customs(heap *h, scope scope) {
  if (scope == FULL) sweep_old(h);
  for (size_t i = 0; i < h->young_customs.count; i++) {
    custom *c = &h->young_customs.at[i];
    if (!keep(c)) continue;
    if (scope == YOUNG_ONLY && c->mem > 0) caml_adjust_gc_speed(c->mem, c->max);
    if (is_shared(c) && Custom_ops_val(c->block)->finalize) hh_note_outside(UNTOLD);
    hh_push(&h->old_customs, *c);
  }
  h->young_customs.count = 0;
}

static void drop(customs *l, int (*dead)(value)) {
  size_t kept = 0;
  for (size_t i = 0; i < l->count; i++)
    if (dead(l->at[i].block)) finalise(l->at[i].block);
    else l->at[kept++] = l->at[i];
  l->count = kept;
}

void hh_drop_customs(heap *h, int (*dead)(value)) {
  drop(&h->young_customs, dead);
  drop(&h->old_customs, dead);
}

/* After a global collection, moves each entry to the heap that holds the block: a
   collection of the new heap will move the block. */
void hh_rehome_customs(heap *h) {
  size_t kept = 0;
  for (size_t i = 0; i < h->old_customs.count; i++) {
    custom c = h->old_customs.at[i];
    heap *home = chunk_of(c.block)->heap;
    if (home == h) h->old_customs.at[kept++] = c;
    else hh_push(&home->old_customs, c);
  }
  h->old_customs.count = kept;
}

/* Finalises all custom blocks, at the program's end, if the program asks for that. */
void caml_finalise_heap(void) {
  domain *d = hh_self;
  hh_leave_area(d);
  hh_collect_new_customs(d);
  hh_freeze(d->leaf);
  for (size_t i = 0; i < hh_frozen.old_customs.count; i++)
    finalise(hh_frozen.old_customs.at[i].block);
  hh_frozen.old_customs.count = 0;
  hh_new_area(d);
}

/* {1 Accounting} */

void caml_adjust_gc_speed(mlsize_t mem, mlsize_t most) {
  caml_domain_state *s = Caml_state;
  if (most == 0) most = caml_custom_get_max_major(); /* caml_alloc_custom_mem does so */
  if (most == 0) most = 1;
  s->extra_heap_resources += (double)mem / (double)most;
  if (s->extra_heap_resources > 1.0) {
    s->extra_heap_resources = 0.0;
    hh_self->much_outside = 1;
    caml_request_major_slice(0);
  }
}

void caml_adjust_minor_gc_speed(mlsize_t mem, mlsize_t most) {
  caml_domain_state *s = Caml_state;
  if (most == 0) most = 1;
  s->extra_heap_resources_minor += (double)mem / (double)most;
  if (s->extra_heap_resources_minor > 1.0) {
    s->extra_heap_resources_minor = 0.0;
    caml_request_minor_gc();
  }
}

void caml_alloc_dependent_memory(mlsize_t bytes) {
  Caml_state->dependent_size += bytes;
  caml_adjust_gc_speed(bytes, hh_held() + hh_least_old);
}

void caml_free_dependent_memory(mlsize_t bytes) {
  uintnat *size = &Caml_state->dependent_size;
  *size = *size < bytes ? 0 : *size - bytes;
}

/* The heap size by which stock limits outside memory. In a small heap, the bytes that
   may be allocated before a full collection count too. */
uintnat caml_heap_size(struct caml_heap_state *unused) {
  (void)unused;
  return hh_held() + hh_least_old;
}

uintnat caml_top_heap_words(struct caml_heap_state *unused) {
  (void)unused;
  return Wsize_bsize(hh_most_held());
}

uintnat caml_heap_blocks(struct caml_heap_state *unused) {
  (void)unused;
  return hh_held() >> CHUNK_LOG;
}
