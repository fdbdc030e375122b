/* Marking what is shared, beside the running program (cycle.c has the protocol).

   Only what is frozen or pinned is marked for its own sake, and traced by whoever holds
   the cycle's lock, in slices: none of it moves, and no pin expires while the cycle
   lasts. */

#include "seen.h"

static chunk *shared_chunk(value v) {
  chunk *c;
  if (!Is_block(v) || !(c = chunk_of(v)) || c->heap == &hh_cells) return NULL;
  return c->heap->frozen || hh_pinned(c, v) ? c : NULL;
}

void hh_shade(greys *g, value v) {
  chunk *c = shared_chunk(v);
  if (!c) return;
  v = hh_whole(v);
  if (!hh_mark(c, v)) return;
  hh_count(hh_self->figures.met, Bhsize_hd(Hd_val(v)));
  hh_push_grey(g, v);
}

/* It was private until now; so the stack of a continuation is to be scanned. */
void hh_shade_new(greys *g, chunk *c, value v) {
  hh_see(c, v);
  if (!c->large && Tag_val(v) == Cont_tag) hh_clear_seen(c->seen, hh_seen_place(c, v) + 1);
  hh_push_grey(g, v);
}

void hh_shade_again(greys *g, chunk *c, value v) {
  hh_mark(c, v);
  hh_push_grey(g, v);
}

void hh_shade_root(void *data, value v, volatile value *p) {
  (void)p;
  hh_shade(data, v);
}

/* {1 Continuations}. Whoever resumes one that is shared scans its stack first; so does
   the marker; and the stack is there for whoever comes first. */

static pthread_mutex_t stacks = PTHREAD_MUTEX_INITIALIZER;

static void scan_stack_of(greys *g, chunk *c, value k) {
  if (hh_all_met(c)) return;
  pthread_mutex_lock(&stacks);
  size_t at = hh_seen_place(c, k);
  hh_mark(c, k);
  if (c->large || hh_set_seen(c->seen, at + 1)) {
    struct stack_info *stack = Ptr_val(Field(k, 0));
    if (stack) caml_scan_stack(hh_shade_root, 0, g, stack, 0);
    hh_set_all_seen(c->seen, at + 1, Wosize_val(k));
  }
  pthread_mutex_unlock(&stacks);
}

/* Stock's code calls it before it takes the stack. */
void caml_darken_cont(value k) {
  domain *d = hh_self;
  chunk *c;
  if (hh_watches(d) && (c = shared_chunk(k))) scan_stack_of(&d->greys, c, k);
}

/* {1 Tracing what is shared} */

static const mlsize_t piece = 4096; /* fields of a large object, in one step */

/* The words that were looked at. */
static size_t trace(greys *g, grey x) {
  header_t h = Hd_val(x.object);
  mlsize_t i = x.from, n = Wosize_hd(h);
  if (Tag_hd(h) == Cont_tag) {
    scan_stack_of(g, chunk_of(x.object), x.object);
    i = 1;
  } else if (Tag_hd(h) == Closure_tag && i == 0)
    i = Start_env_closinfo(Closinfo_val(x.object));
  else if (Tag_hd(h) == Abstract_tag && i == 0)
    i = 1; /* an ephemeron */
  mlsize_t end = n - i > piece ? i + piece : n;
  if (end < n) hh_push(g, ((grey){x.object, end}));
  for (mlsize_t k = i; k < end; k++)
    hh_shade(g, (value)__atomic_load_n(&Field(x.object, k), __ATOMIC_RELAXED));
  return end - i + 4;
}

/* About so many words; 1 if nothing is left. */
int hh_mark_some(greys *g, size_t words) {
  for (size_t done = 0; g->count > 0 && done < words;) done += trace(g, g->at[--g->count]);
  return g->count == 0;
}
