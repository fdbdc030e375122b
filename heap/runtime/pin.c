/* Pins: what others may reach stays where it is.

   A chunk's pin map has a bit for each word, set for every word of a pinned
   object (so that the address of a field tells as well) and for its header. It is made with the
   chunk's first pin. Only the chunk's owner reads and writes it, or whoever has
   stopped the world: others take all that is not their own for shared.

   Invariant: what a pinned or frozen object points to is static, frozen, or
   pinned. [hh_publish] keeps it: it pins all that its argument reaches, before the
   argument is stored. It stops where it meets what is not ours, since that was
   published by its owner or we could not have it.
 */

#include "hh.h"
#include <caml/globroots.h>
#include <stdlib.h>

static void pin(chunk *c, value v, mlsize_t words) {
  if (!c->pin) {
    c->pin = calloc(1, bits_bytes(c->bytes >> 3));
    if (!c->pin) caml_fatal_error("heap: out of memory");
  }
  bits_set(c->pin, (size_t)((char *)Hp_val(v) - c->base) >> 3, words);
  size_t bytes = Bsize_wsize(words);
  c->pinned += bytes;
  hh_count(hh_self->figures.pinned, bytes);
  if (c->young && !c->large) hh_count(hh_self->figures.promoted, bytes);
}

static void visit(value v) {
  if (!Is_block(v)) return;
  chunk *c = chunk_of(v);
  if (!c) return;
  domain *d = hh_self;
  if (c->heap != d->leaf) return;
  if (Tag_val(v) == Infix_tag) v -= Infix_offset_val(v);
  if (hh_pinned(c, v)) return;
  pin(c, v, Whsize_val(v));
  if (Tag_val(v) < No_scan_tag || is_ephemeron(v)) hh_push(&d->pins, v);
}

static void visit_root(void *unused, value v, volatile value *p) {
  (void)unused; (void)p;
  visit(v);
}

static void visit_fields(value v) {
  tag_t tag = Tag_val(v);
  mlsize_t i = 0, n = Wosize_val(v);
  if (tag == Closure_tag)
    i = Start_env_closinfo(Closinfo_val(v));
  else if (tag == Cont_tag) {
    struct stack_info *stack = Ptr_val(Field(v, 0));
    if (stack) caml_scan_stack(visit_root, 0, NULL, stack, 0);
    i = 1;
  }
  for (; i < n; i++) visit(Field(v, i));
}

static void publish_all(domain *d) {
  while (d->pins.count > 0) visit_fields(d->pins.at[--d->pins.count]);
}

void hh_publish(value v) {
  domain *d = hh_self;
  size_t before = d->figures.pinned;
  visit(v);
  publish_all(d);
  if (d->figures.pinned != before) hh_count(d->figures.publications, 1);
}

void hh_publish_globals(void) {
  caml_scan_global_roots(visit_root, NULL);
  publish_all(hh_self);
}

void hh_unpin(chunk *c) {
  free(c->pin);
  c->pin = NULL;
  hh_count(hh_self->figures.unpinned, c->pinned);
  c->pinned = 0;
}
