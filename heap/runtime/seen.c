/* Mark bitmaps (the inline part is seen.h), and the choice of the chunks that a cycle
   decides about.

   Marking and publishing call [hh_see] and [hh_still_see]; GREET and the scans call
   [hh_judge]. The file never clears a bit of the present cycle. */

#include "seen.h"
#include <stdlib.h>
#include <string.h>

size_t hh_cycle; /* number of the present cycle, or of the last */

static pthread_mutex_t maps = PTHREAD_MUTEX_INITIALIZER;

static size_t map_bytes(chunk *c) {
  return c->large ? sizeof(bits) : bits_bytes(c->bytes >> 3);
}

void hh_renew_seen(chunk *c) {
  pthread_mutex_lock(&maps);
  if (c->seen_in != hh_cycle) {
    if (c->seen) memset(c->seen, 0, map_bytes(c));
    else if (!(c->seen = calloc(1, map_bytes(c)))) caml_fatal_error("heap: out of memory");
    c->judged = 0;
    __atomic_store_n(&c->seen_in, hh_cycle, __ATOMIC_RELEASE);
  }
  pthread_mutex_unlock(&maps);
}

int hh_seen(chunk *c, value v) { return bits_at(c->seen, hh_seen_place(c, v)); }

/* Sets all bits of an object. A dead private object that was scanned at the same
   address may have left some bits set. */
static void set_all(chunk *c, value v) {
  hh_set_all_seen(c->seen, hh_seen_place(c, v), c->large ? 1 : Whsize_val(v));
}

void hh_see(chunk *c, value v) {
  hh_seen_map(c);
  set_all(c, v);
}

/* Marks [v] for [cycle] if the bitmap still belongs to that cycle. A domain that has
   not answered GREET may find that the bitmap serves the new cycle already. */
void hh_still_see(chunk *c, value v, size_t cycle) {
  pthread_mutex_lock(&maps);
  if (c->seen_in == cycle) set_all(c, v);
  pthread_mutex_unlock(&maps);
}

/* {1 Judging}: choosing the chunks in which the cycle will find unmarked objects dead. */

static void judge(chunks *l) {
  for (chunk *c = l->first; c; c = c->next)
    if ((c->pin && !c->mixed && !hh_all_met(c)) || c->heap->frozen) {
      hh_seen_map(c);
      c->judged = 1;
    }
}

void hh_judge(heap *h) {
  judge(&h->young);
  judge(&h->old);
  judge(&h->holed);
}
