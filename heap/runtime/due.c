/* When the concurrent collection begins, and when the world is stopped.

   A cycle is due when as much has been shared for good as the last one had to look at,
   private objects too, or when the chunks in which anything is pinned, or what is pinned in
   their holes, have grown by as much: it finds garbage in proportion to what it costs. (What
   is pinned until a join may be private again soon, and not all of a chunk is pinned; but a
   few objects between many that have died keep it.)

   The safety net is due when all heaps together hold twice what is known to live: what
   leaves had left after their last full collections, but for what was pinned, and what the
   last cycle met of that; or what was there after the last stop. First leaves that have grown
   by a quarter are collected in full, each by its domain, and if they hold a quarter more
   then a cycle has to have tried, and an eighth has to have come since; unless that takes
   so long that they hold twice as much again, or that so much is shared meanwhile that three
   cycles would be due. There are more domains than processors then, and it is quicker to
   stop them: each has to run once for that, and seven times, beside all others, for a cycle. */

#include "hh.h"

size_t hh_least_global = (size_t)32 << 20;
size_t hh_least_shared = (size_t)4 << 20;

static size_t at_least(size_t bytes, size_t least) { return bytes < least ? least : bytes; }

/* {1 What is shared} */

static size_t for_good_then, frozen_then; /* when the last cycle began */
static size_t met_then, met;        /* before it, and in it */
static size_t cost_then, cost;      /* what was looked at; or lived, if others did */
static _Atomic size_t least_pinned, least_pins, refilled_then; /* since it ended */
static size_t frozen_alive;         /* that the only domain had found alive, when that was frozen;
                                       0: a cycle has begun since */

/* Memory outside that hangs on what is shared, since then (custom.c). */
static _Atomic size_t outside;
void hh_note_outside(size_t bytes) { atomic_fetch_add(&outside, bytes); }

static void note_shared(void) {
  outside = 0;
  for_good_then = hh_total(for_good);
  frozen_then = hh_bytes(&hh_frozen);
}

/* What only a cycle, or a stopped world, can free. */
static size_t shared_since(void) {
  size_t frozen = hh_bytes(&hh_frozen);
  return hh_total(for_good) - for_good_then + outside +
         (frozen > frozen_then ? frozen - frozen_then : 0);
}

/* Above what there was at least. */
static size_t grown(size_t now, _Atomic size_t *least_then) {
  size_t least = *least_then;
  if (now < least) *least_then = least = now;
  return now - least;
}

/* Chunks in which something has been pinned since the last cycle ended. */
static size_t pinned_since(void) { return grown(hh_total(pinned_chunks), &least_pinned); }

/* Bytes that have been pinned since then, and still are; and of these, in holes. */
static size_t more_since(void) { return grown(hh_note_most_pinned(), &least_pins); }

static size_t refilled_since(void) {
  size_t refilled = hh_total(refilled) - refilled_then, more = more_since();
  return refilled < more ? refilled : more;
}

/* More is free in the pool than anybody takes: its chunks are held by a few words each. */
static size_t pooled_then;
static int much_is_pooled(void) { return hh_pooled() > 2 * pooled_then + 2 * hh_least_global; }

static void note_pinned(void) {
  pooled_then = hh_pooled();
  least_pinned = hh_total(pinned_chunks);
  least_pins = hh_note_most_pinned();
  refilled_then = hh_total(refilled);
}

static size_t grown_then, swept_then; /* when it began */

/* The less of what had been made a cycle frees, the longer the next one waits for what is
   pinned until a join: where branches keep what they make, their joins let go of nearly all
   of it. So it is expected to be till a cycle has looked. */
static const size_t patience_at_first = 4, most_patience = 8;

static size_t patience(void) {
  if (grown_then == 0) return patience_at_first;
  size_t swept = hh_total(swept) - swept_then, half = grown_then / 2;
  if (swept >= half) return 1;
  return swept < half / most_patience ? most_patience : half / swept;
}

/* It will have to look at what leaves have to themselves, too. */
static size_t due_until_joins(void) {
  size_t due = at_least(cost, hh_total(known)) * patience();
  return at_least(due, 2 * hh_least_shared);
}

static int much_is_shared(void) {
  size_t due = due_until_joins();
  return shared_since() > at_least(cost, hh_least_shared) || refilled_since() > due ||
         pinned_since() > due || much_is_pooled();
}

size_t hh_waits_since(void) {
  return at_least(shared_since(), at_least(pinned_since(), refilled_since()) / 2);
}

/* All has been collected otherwise: by who is alone, or has stopped the others. */
void hh_note_shared_lives(void) {
  note_shared();
  met = hh_bytes(&hh_frozen) + hh_note_most_pinned();
  cost = hh_alone() ? 0 : hh_held();
  note_pinned();
  grown_then = 0; /* what the last cycle would have freed is gone */
  frozen_alive = 0;
}

/* So much of it was alive when that was collected in full. A cycle would have to meet it
   all, and find nothing; in what has no fields there is nothing to look at. */
void hh_note_freezes(size_t alive, size_t without_fields) {
  frozen_then += alive;
  frozen_alive += alive;
  met += alive;
  cost += alive > without_fields ? alive - without_fields : 0;
}

size_t hh_frozen_alive(void) { return frozen_alive; }

/* {1 What is held} */

static size_t live; /* after the last stop, or a collection of the only leaf */
static _Atomic size_t tried; /* held after a cycle in vain, or 0 */
static int trying;           /* this cycle */

void hh_note_all_live(void) {
  live = hh_held();
  tried = 0;
}

/* But for what is being copied, and what is free to be taken. */
static size_t held(void) {
  size_t all = hh_held(), other = hh_pooled();
  each_domain(x) other += hh_read(x->collecting);
  return all > other ? all - other : 0;
}

/* What the leaves at hand had pinned after their last full collections. */
static size_t pinned_left(void) {
  size_t n = 0;
  each_domain(x) n += hh_read(x->leaf->live.pinned) + hh_read(x->leaf->live.expired);
  return n;
}

/* Of what is pinned cycles have met so much, or have to be given the time to. */
static size_t most_held(void) {
  size_t shared = hh_bytes(&hh_frozen) + hh_note_most_pinned(), pinned = pinned_left();
  if (met < shared) shared = met;
  size_t known = hh_total(known) + (shared > pinned ? shared : pinned);
  return 2 * at_least(known > live ? known : live, hh_least_global);
}

/* Each leaf looks at its own before a cycle looks at what is shared. */
int hh_much_held(void) { return !hh_alone() && held() > most_held(); }

static int too_much_held(void) {
  size_t most = most_held();
  return held() > most + most / 4;
}

static size_t more_then; /* when the cycle began */
static size_t more_in_cycle(void) {
  size_t more = more_since();
  return more > more_then ? more - more_then : 0;
}

/* It takes so long that it is quicker to stop all: those that still have to answer run
   at once then, as nobody else does. */
static const size_t too_late = 3;

static int cycle_too_late(void) {
  if (hh_stage_of(hh_stage) == END) return 0; /* it is over, or about to be */
  return more_in_cycle() > at_least(too_late * cost, hh_least_global / 2);
}

int hh_global_due(void) {
  if (hh_stacks_due() || cycle_too_late()) return 1;
  if (!hh_concurrent)
    return hh_held() > at_least(2 * live, hh_least_global) ||
           shared_since() > at_least(live, 4 * hh_least_shared);
  size_t now = held(), most = most_held();
  return now > most && (now > 2 * most || (tried && now > tried + most / 8));
}

/* {1 Cycles} */

int hh_cycle_due(void) {
  return !hh_alone() && (much_is_shared() || (!tried && too_much_held()));
}

int hh_cycle_late(void) { return more_in_cycle() > at_least(cost, hh_least_shared); }

void hh_note_cycle_begins(void) {
  more_then = more_since();
  frozen_alive = 0;
  grown_then = hh_waits_since();
  swept_then = hh_total(swept);
  note_shared();
  met_then = hh_total(met);
  cost_then = hh_total(looked_at) + hh_total(scanned);
  trying = held() > most_held();
}

void hh_note_cycle_ends(int will_sweep) {
  if (!will_sweep) grown_then = 0;
  size_t frozen = hh_bytes(&hh_frozen);
  if (frozen < frozen_then) frozen_then = frozen; /* the rest has gone to a leaf */
  met = hh_total(met) - met_then;
  cost = hh_total(looked_at) + hh_total(scanned) - cost_then;
  note_pinned();
  tried = trying ? held() : 0;
}
