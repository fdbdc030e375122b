/* Mark bitmaps (the inline part is mark_bits.h), and the choice of the chunks that a
   cycle decides about.

   Marking and publishing call [hh_set_mark] and [hh_set_mark_in]; SYNC1 and the scans
   call [hh_judge]. The file never clears a bit of the present cycle. */

#include "hh.h"
#include <stdlib.h>
#include <string.h>

size_t hh_cycle; /* number of the present cycle, or of the last */

static pthread_mutex_t maps = PTHREAD_MUTEX_INITIALIZER;

static size_t map_bytes(chunk *c) {
  return c->large ? sizeof(bits) : bits_bytes(c->bytes >> 3);
}

void hh_renew_mark_bits(chunk *c) {
  pthread_mutex_lock(&maps);
  if (c->mark_bits_in != hh_cycle) {
    if (c->mark_bits) memset(c->mark_bits, 0, map_bytes(c));
    else if (!(c->mark_bits = calloc(1, map_bytes(c)))) caml_fatal_error("heap: out of memory");
    c->judged = 0;
    __atomic_store_n(&c->mark_bits_in, hh_cycle, __ATOMIC_RELEASE);
  }
  pthread_mutex_unlock(&maps);
}

int hh_has_mark(chunk *c, value v) { return bits_at(c->mark_bits, hh_mark_place(c, v)); }

/* Sets all bits of an object. A dead private object that was scanned at the same
   address may have left some bits set. */
static void set_all(chunk *c, value v) {
  hh_set_all_mark_bits(c->mark_bits, hh_mark_place(c, v), c->large ? 1 : Whsize_val(v));
}

void hh_set_mark(chunk *c, value v) {
  hh_mark_bits(c);
  set_all(c, v);
}

/* Marks [v] for [cycle] if the bitmap still belongs to that cycle. A domain that has
   not answered SYNC1 may find that the bitmap serves the new cycle already. */
void hh_set_mark_in(chunk *c, value v, size_t cycle) {
  pthread_mutex_lock(&maps);
  if (c->mark_bits_in == cycle) set_all(c, v);
  pthread_mutex_unlock(&maps);
}

/* {1 Judging}: choosing the chunks in which the cycle will find unmarked objects dead. */

static void judge(chunks *l) {
  for (chunk *c = l->first; c; c = c->next)
    if ((c->pin && !c->mixed && !hh_all_marked(c)) || c->heap->frozen) {
      hh_mark_bits(c);
      c->judged = 1;
    }
}

void hh_judge(heap *h) {
  judge(&h->young);
  judge(&h->old);
  judge(&h->holed);
}
