/* Marking what is shared, beside the running program (cycle.c has the protocol).

   Only what is frozen or pinned is marked for its own sake, and traced by whoever holds
   the cycle's lock, in slices: none of it moves, and no pin expires while the cycle
   lasts.

   Of an ephemeron the keys are not traced, and the data when all keys have been met: it
   is looked at again whenever more has been marked here, and when all have brought
   nothing: what has no fields domains mark, and bring nothing of it. A key that was not
   pinned for itself, in a chunk that is pinned as a whole or has been frozen since the
   cycle began, is traced: nobody could say later whether it was shared already. */

#include "seen.h"
#include "soon.h"
#include "ephemeron.h"

static chunk *chunk_in_heap(value v) {
  chunk *c = Is_block(v) ? chunk_of(v) : NULL;
  return c && c->heap != &hh_cells ? c : NULL;
}

chunk *hh_shared_chunk(value v) {
  chunk *c = chunk_in_heap(v);
  return c && (c->heap->frozen || hh_pinned(c, v)) ? c : NULL;
}

/* That it lives is for the marking alone to find. */
static chunk *undecided_chunk(value v) {
  chunk *c = chunk_in_heap(v);
  if (!c) return NULL;
  return hh_shared_pin(hh_own_pin_of(c, v)) || (c->heap->frozen && c->judged) ? c : NULL;
}

int hh_undecided(value v) { return undecided_chunk(v) != NULL; }

int hh_unmet(value v) {
  chunk *c = undecided_chunk(v);
  return c && !hh_met(c, v);
}

void hh_shade(greys *g, value v) {
  chunk *c = hh_shared_chunk(v);
  if (!c) return;
  v = hh_whole(v);
  if (!hh_mark(c, v)) return;
  size_t bytes = Bhsize_hd(Hd_val(v));
  hh_count(hh_self->figures.met, bytes);
  hh_count(hh_self->figures.looked_at, Tag_val(v) < No_scan_tag ? bytes : sizeof(header_t));
  hh_push_grey(g, v);
}

/* It was private until now; so the stack of a continuation is to be scanned. */
void hh_shade_new(greys *g, chunk *c, value v) {
  hh_see(c, v);
  if (!c->large && Tag_val(v) == Cont_tag) hh_clear_seen(c->seen, hh_seen_place(c, v) + 1);
  hh_push_grey(g, v);
}

/* It was shared with its chunk, or pinned deeper. Where it is made since the scan, the first of
   its bits may be left of what was private there: that does not tell of the others. */
void hh_shade_again(greys *g, chunk *c, value v) {
  if (Tag_val(v) == Cont_tag) hh_mark(c, v);
  else hh_see(c, v);
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
  if (c->large || hh_set_seen(c->seen, at + 1, 1)) {
    struct stack_info *stack = Ptr_val(Field(k, 0));
    if (stack) caml_scan_stack(hh_shade_root, 0, g, stack, 0);
  }
  hh_set_all_seen(c->seen, at, Whsize_val(k));
  pthread_mutex_unlock(&stacks);
}

/* Stock's code calls it before it takes the stack. */
void caml_darken_cont(value k) {
  domain *d = hh_self;
  chunk *c;
  if (hh_watches(d) && (c = hh_shared_chunk(k))) scan_stack_of(&d->greys, c, k);
}

/* What a domain has met after it was last asked for that, and all has been decided: nothing
   there has to be traced, but a continuation is met in part. */
void hh_see_rest(greys *g) {
  for (size_t i = 0; i < g->count; i++) {
    value v = g->at[i].object;
    if (Tag_val(v) == Cont_tag) hh_see(chunk_of(v), v);
  }
}

/* {1 Tracing what is shared} */

static const mlsize_t piece = 4096; /* fields of a large object, in one step */

static value read(value object, mlsize_t i) {
  return (value)__atomic_load_n(&Field(object, i), __ATOMIC_RELAXED);
}

static values ephemerons; /* met, with data that is still to be traced */
static size_t looked_at;  /* of these, in this round */
static int again;         /* something has been marked here in this round */

static void trace_key(greys *g, value v) {
  if (!hh_undecided(v)) hh_shade(g, v);
}

static soon asked_for;

static void shade_soon(greys *g, value v) {
  if (!Is_block(v)) return;
  if ((v = hh_ask_for(&asked_for, v))) hh_shade(g, v);
}

/* 1 if there was something. */
static int shade_now(greys *g) {
  int some = 0;
  for (int i = 0; i < SOON; i++) {
    value v = hh_asked_for(&asked_for, i);
    if (v) hh_shade(g, v);
    some |= v != 0;
  }
  return some;
}

/* The words that were looked at. */
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

static int keys_met(value e) {
  for (mlsize_t i = FIRST; i < Wosize_val(e); i++)
    if (hh_unmet(read(e, i))) return 0;
  return 1;
}

static size_t look_at(greys *g, value e) {
  if (keys_met(e)) {
    again = 1;
    hh_shade(g, read(e, DATA));
    ephemerons.at[looked_at] = ephemerons.at[--ephemerons.count];
  } else
    looked_at++;
  return Wosize_val(e);
}

/* About so many words; 1 if nothing is left: a whole round over ephemerons has brought
   nothing. */
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
  shade_now(g); /* the cycle may be over when the next slice comes */
  return 0;
}

/* Nothing else can be marked meanwhile but what is read from weak pointers, which is said.
   1 if there was some that has to be traced now. */
int hh_look_again(greys *g) {
  again = 0;
  for (looked_at = 0; looked_at < ephemerons.count;) look_at(g, ephemerons.at[looked_at]);
  looked_at = 0;
  return again;
}

void hh_forget_ephemerons(void) { ephemerons.count = looked_at = again = 0; }
