/* Marking shared objects, beside the running program (cycle.c has the protocol).

   Ephemerons: marking does not trace the keys, and traces the data once all keys are
   marked. After each round in which the marker traced an object, the marker looks at
   the ephemerons again. It looks once more after a round of MARK that brought no grey
   object: a domain may have marked a key without fields, and such a key is never
   grey. A key that is not pinned for itself is traced like a field, if its chunk is
   bulk-pinned or was frozen since the cycle began: later no domain could tell whether
   the key was shared already. */

#include "hh.h"
#include "local/prefetch.h"
#include "gc_api/ephemeron_layout.h"

static chunk *chunk_in_heap(value v) {
  chunk *c = Is_block(v) ? chunk_of(v) : NULL;
  return c && c->heap != &hh_cells ? c : NULL;
}

chunk *hh_shared_chunk(value v) {
  chunk *c = chunk_in_heap(v);
  return c && (c->heap->frozen || hh_pinned(c, v)) ? c : NULL;
}

/* The chunk of [v] if marking alone decides whether [v] lives: [v] has a pin of its
   own, or was frozen before the cycle began. Else NULL. */
static chunk *undecided_chunk(value v) {
  chunk *c = chunk_in_heap(v);
  if (!c) return NULL;
  return hh_shared_pin(hh_own_pin_of(c, v)) || (c->heap->frozen && c->judged) ? c : NULL;
}

int hh_undecided(value v) { return undecided_chunk(v) != NULL; }

int hh_is_unmarked(value v) {
  chunk *c = undecided_chunk(v);
  return c && !hh_is_marked(c, v);
}

void hh_shade(greys *g, value v) {
  chunk *c = hh_shared_chunk(v);
  if (!c) return;
  v = hh_whole(v);
  if (!hh_mark(c, v)) return;
  size_t bytes = Bhsize_hd(Hd_val(v));
  hh_count(hh_self->figures.marked, bytes);
  hh_count(hh_self->figures.looked_at, Tag_val(v) < No_scan_tag ? bytes : sizeof(header_t));
  hh_push_grey(g, v);
}

/* Marks an object that was private until now. The stack of a continuation is still to
   be scanned, so the bit for the continuation's field is cleared. */
void hh_shade_new(greys *g, chunk *c, value v) {
  hh_set_mark(c, v);
  if (!c->large && Tag_val(v) == Cont_tag) hh_clear_mark_bit(c->mark_bits, hh_mark_place(c, v) + 1);
  hh_push_grey(g, v);
}

/* Marks an object that was shared already, by a bulk pin or by a deeper pin. All bits
   are set, whatever the first bit says: if the object is newer than the scan, the
   first bit may be left over from a dead private object at the same address. */
void hh_shade_again(greys *g, chunk *c, value v) {
  if (Tag_val(v) == Cont_tag) hh_mark(c, v);
  else hh_set_mark(c, v);
  hh_push_grey(g, v);
}

void hh_shade_root(void *data, value v, volatile value *p) {
  (void)p;
  hh_shade(data, v);
}

/* {1 Continuations}. A domain that resumes a shared continuation scans its stack
   first, and so does the marker when it traces the continuation. The lock [stacks]
   makes the second wait, and so the scan is over before the stack runs. */

static pthread_mutex_t stacks = PTHREAD_MUTEX_INITIALIZER;

static void scan_stack_of(greys *g, chunk *c, value k) {
  if (hh_all_marked(c)) return;
  pthread_mutex_lock(&stacks);
  size_t at = hh_mark_place(c, k);
  hh_mark(c, k);
  if (c->large || hh_set_mark_bits(c->mark_bits, at + 1, 1)) {
    struct stack_info *stack = Ptr_val(Field(k, 0));
    if (stack) caml_scan_stack(hh_shade_root, 0, g, stack, 0);
  }
  hh_set_all_mark_bits(c->mark_bits, at, Whsize_val(k));
  pthread_mutex_unlock(&stacks);
}

/* Stock's code calls the function before it takes the stack. */
void caml_darken_cont(value k) {
  domain *d = hh_self;
  chunk *c;
  if (hh_watches(d) && (c = hh_shared_chunk(k))) scan_stack_of(&d->greys, c, k);
}

/* Finishes the grey objects that a domain has left after the decision on dead objects.
   No object has to be traced, but a continuation has only part of its bits: set the
   rest. */
void hh_mark_rest(greys *g) {
  for (size_t i = 0; i < g->count; i++) {
    value v = g->at[i].object;
    if (Tag_val(v) == Cont_tag) hh_set_mark(chunk_of(v), v);
  }
}

/* {1 Tracing shared objects} */

static const mlsize_t piece = 4096; /* fields of a large object traced in a step */

static value read(value object, mlsize_t i) {
  return (value)__atomic_load_n(&Field(object, i), __ATOMIC_RELAXED);
}

static values ephemerons; /* marked ephemerons whose data is still to be traced */
static size_t looked_at;  /* the ephemerons before this index were looked at in this
                             round */
static int again;         /* an object was marked here in this round */

static void trace_key(greys *g, value v) {
  if (!hh_undecided(v)) hh_shade(g, v);
}

static soon asked_for;

static void shade_soon(greys *g, value v) {
  if (!Is_block(v)) return;
  if ((v = hh_ask_for(&asked_for, v))) hh_shade(g, v);
}

/* Shades the prefetched objects; 1 if the ring was not empty. */
static int shade_now(greys *g) {
  int some = 0;
  for (int i = 0; i < SOON; i++) {
    value v = hh_asked_for(&asked_for, i);
    if (v) hh_shade(g, v);
    some |= v != 0;
  }
  return some;
}

/* Traces the fields of a grey object, at most [piece]; returns the number of words
   read. */
static size_t trace(greys *g, grey x) {
  header_t h = Hd_val(x.object);
  mlsize_t i = x.from, n = Wosize_hd(h);
  int weak = Tag_hd(h) == Abstract_tag;
  if (Tag_hd(h) == Cont_tag) {
    scan_stack_of(g, chunk_of(x.object), x.object);
    i = 1;
  } else if (weak && i == 0) {
    i = FIRST;
    if (!is_none(read(x.object, DATA))) hh_push(&ephemerons, x.object);
  } else if (i == 0)
    i = hh_first_field(x.object, h);
  mlsize_t end = n - i > piece ? i + piece : n;
  if (end < n) hh_push(g, ((grey){x.object, end}));
  for (mlsize_t k = i; k < end; k++) (weak ? trace_key : shade_soon)(g, read(x.object, k));
  return end - i + 4;
}

static int keys_marked(value e) {
  for (mlsize_t i = FIRST; i < Wosize_val(e); i++)
    if (hh_is_unmarked(read(e, i))) return 0;
  return 1;
}

static size_t look_at(greys *g, value e) {
  if (keys_marked(e)) {
    again = 1;
    hh_shade(g, read(e, DATA));
    ephemerons.at[looked_at] = ephemerons.at[--ephemerons.count];
  } else
    looked_at++;
  return Wosize_val(e);
}

/* Marks about [words] words. Returns 1 if nothing is left to mark: a whole round over
   the ephemerons has marked no object. */
int hh_mark_some(greys *g, size_t words) {
  for (size_t done = 0; done < words;)
    if (g->count > 0) {
      again = 1;
      done += trace(g, g->at[--g->count]);
    } else if (shade_now(g))
      continue;
    else if (looked_at < ephemerons.count)
      done += look_at(g, ephemerons.at[looked_at]);
    else {
      looked_at = 0;
      if (!again) return 1;
      again = 0;
    }
  shade_now(g); /* the cycle may be over before the next slice */
  return 0;
}

/* Looks once more at each ephemeron. Meanwhile domains can mark only objects read from
   weak pointers, and grey_inbox.c reports these. Returns 1 if some data has to be traced
   now. */
int hh_look_again(greys *g) {
  again = 0;
  for (looked_at = 0; looked_at < ephemerons.count;) look_at(g, ephemerons.at[looked_at]);
  looked_at = 0;
  return again;
}

void hh_forget_ephemerons(void) { ephemerons.count = looked_at = again = 0; }
