/* Marking what is shared, beside the running program (cycle.c has the protocol).

   A chunk's map [seen] has a bit for each word, set for all words of an object that was
   met in the present cycle; the one of a large object has one bit. It belongs to a cycle
   by its number, and is cleared when it is first used in another. Bits are set by whoever
   marks, publishes or scans, atomically.

   Only what is frozen or pinned is marked for its own sake, and traced by whoever holds
   the cycle's lock, in slices: none of it moves, and no pin expires while the cycle
   lasts. A leaf's private objects are marked while their domain waits ([hh_scan_leaf]),
   to find what they hold of what is shared. */

#include "hh.h"
#include <caml/globroots.h>
#include <stdlib.h>
#include <string.h>

size_t hh_cycle; /* the number of the present one, or of the last */

static pthread_mutex_t maps = PTHREAD_MUTEX_INITIALIZER;

static size_t map_bytes(chunk *c) {
  return c->large ? sizeof(bits) : bits_bytes(c->bytes >> 3);
}

static void renew(chunk *c) {
  pthread_mutex_lock(&maps);
  if (c->seen_in != hh_cycle) {
    if (c->seen) memset(c->seen, 0, map_bytes(c));
    else if (!(c->seen = calloc(1, map_bytes(c)))) caml_fatal_error("heap: out of memory");
    c->judged = 0;
    __atomic_store_n(&c->seen_in, hh_cycle, __ATOMIC_RELEASE);
  }
  pthread_mutex_unlock(&maps);
}

static bits *map_of(chunk *c) {
  if (__atomic_load_n(&c->seen_in, __ATOMIC_ACQUIRE) != hh_cycle) renew(c);
  return c->seen;
}

static size_t place(chunk *c, value v) {
  return c->large ? 0 : hh_word_of(c, (value)Hp_val(v));
}

/* 1 if it was not set. */
static int set_bit(bits *b, size_t i) {
  bits one = (bits)1 << (i & 63);
  return !(__atomic_fetch_or(&b[i >> 6], one, __ATOMIC_RELAXED) & one);
}

static void clear_bit(bits *b, size_t i) {
  __atomic_fetch_and(&b[i >> 6], ~((bits)1 << (i & 63)), __ATOMIC_RELAXED);
}

static void set_rest(bits *b, size_t i, size_t n) {
  for (size_t end = i + n; i < end;) {
    size_t here = 64 - (i & 63);
    if (here > end - i) here = end - i;
    bits some = here == 64 ? ~(bits)0 : (((bits)1 << here) - 1) << (i & 63);
    __atomic_fetch_or(&b[i >> 6], some, __ATOMIC_RELAXED);
    i += here;
  }
}

int hh_seen(chunk *c, value v) { return bits_at(c->seen, place(c, v)); }

/* A continuation's field is marked when its stack has been scanned. */
static int mark(chunk *c, value v) {
  bits *b = map_of(c);
  size_t at = place(c, v);
  if (!set_bit(b, at)) return 0;
  if (!c->large && Tag_val(v) != Cont_tag) set_rest(b, at + 1, Wosize_val(v));
  return 1;
}

/* Where a private object was that has been scanned, and is gone, its bits are left. */
static void set_all(chunk *c, value v) {
  set_rest(c->seen, place(c, v), c->large ? 1 : Whsize_val(v));
}

void hh_see(chunk *c, value v) {
  map_of(c);
  set_all(c, v);
}

/* Who has not greeted may find the map in the hands of those who have. */
void hh_still_see(chunk *c, value v, size_t cycle) {
  pthread_mutex_lock(&maps);
  if (c->seen_in == cycle) set_all(c, v);
  pthread_mutex_unlock(&maps);
}

/* What has been met and is still to be traced. */
static void push(greys *g, value v) {
  if (Tag_val(v) < No_scan_tag || is_ephemeron(v)) hh_push(g, ((grey){v, 0}));
}

static chunk *shared_chunk(value v) {
  chunk *c;
  if (!Is_block(v) || !(c = chunk_of(v)) || c->heap == &hh_cells) return NULL;
  return c->heap->frozen || hh_pinned(c, v) ? c : NULL;
}

static value whole(value v) {
  if (Tag_val(v) == Infix_tag) v -= Infix_offset_val(v);
  return v;
}

void hh_shade(greys *g, value v) {
  chunk *c = shared_chunk(v);
  if (!c) return;
  v = whole(v);
  if (!mark(c, v)) return;
  hh_count(hh_self->figures.met, Bhsize_hd(Hd_val(v)));
  push(g, v);
}

/* It was private until now; so the stack of a continuation is to be scanned. */
void hh_shade_new(greys *g, chunk *c, value v) {
  hh_see(c, v);
  if (!c->large && Tag_val(v) == Cont_tag) clear_bit(c->seen, place(c, v) + 1);
  push(g, v);
}

void hh_shade_again(greys *g, chunk *c, value v) {
  mark(c, v);
  push(g, v);
}

static void shade_root(void *data, value v, volatile value *p) {
  (void)p;
  hh_shade(data, v);
}

/* {1 Continuations}. Whoever resumes one that is shared scans its stack first; so does
   the marker; and the stack is there for whoever comes first. */

static pthread_mutex_t stacks = PTHREAD_MUTEX_INITIALIZER;

static void scan_stack_of(greys *g, chunk *c, value k) {
  pthread_mutex_lock(&stacks);
  size_t at = place(c, k);
  mark(c, k);
  if (c->large || set_bit(c->seen, at + 1)) {
    struct stack_info *stack = Ptr_val(Field(k, 0));
    if (stack) caml_scan_stack(shade_root, 0, g, stack, 0);
    set_rest(c->seen, at + 1, Wosize_val(k));
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

/* {1 Scanning what is private}. The heaps of which all is looked at have [scanned_by]
   set; what is shared goes to [d->greys], for the marker. */

typedef struct { domain *by; greys work; } scan;

static void meet(void *data, value v, volatile value *p) {
  (void)p;
  scan *s = data;
  chunk *c;
  if (!Is_block(v) || !(c = chunk_of(v)) || c->heap == &hh_cells) return;
  if (c->heap->scanned_by != s->by || hh_pinned(c, v)) {
    hh_shade(&s->by->greys, v);
    return;
  }
  v = whole(v);
  if (mark(c, v)) push(&s->work, v);
}

static void trace_private(scan *s, value v) {
  header_t h = Hd_val(v);
  mlsize_t i = 0, n = Wosize_hd(h);
  if (Tag_hd(h) == Cont_tag) {
    struct stack_info *stack = Ptr_val(Field(v, 0));
    if (stack) caml_scan_stack(meet, 0, s, stack, 0);
    i = 1;
  } else if (Tag_hd(h) == Closure_tag)
    i = Start_env_closinfo(Closinfo_val(v));
  else if (Tag_hd(h) == Abstract_tag)
    i = 1;
  for (; i < n; i++) meet(s, Field(v, i), NULL);
}

/* What is told of objects holds them: only collections that may move them decide. */
static void meet_told(scan *s, heap *h) {
  for (size_t i = 0; i < h->young_ephemerons.count; i++)
    meet(s, h->young_ephemerons.at[i], NULL);
  for (size_t i = 0; i < h->old_ephemerons.count; i++)
    meet(s, h->old_ephemerons.at[i], NULL);
  final_list *lists[] = {&h->first, &h->last, &h->todo};
  for (int l = 0; l < 3; l++)
    for (size_t i = 0; i < lists[l]->count; i++) {
      meet(s, lists[l]->at[i].fun, NULL);
      meet(s, lists[l]->at[i].val, NULL);
    }
}

static void trace_all(scan *s) {
  while (s->work.count > 0) trace_private(s, s->work.at[--s->work.count].object);
  free(s->work.at);
}

static void begin(domain *by, heap *h) {
  h->scanned_by = by;
  hh_judge(h);
}

static void end(heap *h) {
  h->scanned_by = NULL;
  h->scanned_in = hh_cycle;
}

static void each_of(domain *x, void (*f)(domain *, heap *)) {
  f(x, &x->own);
  f(x, x->leaf);
  for (size_t i = 0; i < x->entered.count; i++) {
    heap *h = hh_heap_entered(x, i);
    if (h) f(x, h);
  }
}

static void begin_one(domain *x, heap *h) { begin(x, h); }
static void end_one(domain *x, heap *h) { (void)x; end(h); }

/* All that [x] has; it waits, or calls. */
void hh_scan_private(domain *x) {
  scan s = {x, {NULL, 0, 0}};
  each_of(x, begin_one);
  hh_scan_domain(&s, x, meet);
  hh_scan_entered(x, meet, &s);
  hh_scan_c_roots(meet, &s);
  meet_told(&s, &x->own);
  if (x->leaf != &x->own) meet_told(&s, x->leaf);
  for (size_t i = 0; i < x->entered.count; i++) {
    heap *h = hh_heap_entered(x, i);
    if (h && h != x->leaf) meet_told(&s, h);
  }
  trace_all(&s);
  each_of(x, end_one);
  x->has_scanned = 1;
}

/* A heap where nobody runs: of a suspended task, or one that has ended. */
void hh_scan_leaf(domain *by, heap *h) {
  scan s = {by, {NULL, 0, 0}};
  begin(by, h);
  hh_scan_kept_of(h, meet, &s);
  meet_told(&s, h);
  trace_all(&s);
  end(h);
}

/* What belongs to all. */
void hh_scan_common(domain *by) {
  scan s = {by, {NULL, 0, 0}};
  caml_scan_global_roots(shade_root, &by->greys);
  hh_scan_offers(shade_root, &by->greys, 0);
  pthread_mutex_lock(&hh_frozen_lock);
  meet_told(&s, &hh_frozen);
  pthread_mutex_unlock(&hh_frozen_lock);
  free(s.work.at);
}

/* {1 Judging}: what will be found dead in a chunk if the cycle does not meet it. */

static void judge(chunks *l) {
  for (chunk *c = l->first; c; c = c->next)
    if (c->pin || c->heap->frozen) {
      map_of(c);
      c->judged = 1;
    }
}

void hh_judge(heap *h) {
  judge(&h->young);
  judge(&h->old);
  judge(&h->holed);
}
