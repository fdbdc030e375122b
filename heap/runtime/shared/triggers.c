/* Triggers: when a cycle begins, and when the safety net stops the world.

   Let cost be the bytes that the last cycle read, private objects included. Let the
   limit ([most_held]) be twice the bytes known to live: survivors of the last full
   collections that were not pinned, plus the shared objects that the last cycle
   marked. The limit is at least twice the bytes left by the last stop of the world,
   and at least 64 MiB.

   The table in README.md has the triggers; each row is a function here.

   A cycle thus finds garbage in proportion to its cost. Bytes pinned until a join
   count less, by [patience]: such objects may be private again soon, and a chunk is
   seldom pinned in full. Still they count: a few pinned objects keep a chunk whose
   other objects are dead. Before a cycle, each leaf that has grown by a quarter is
   collected in full ([hh_much_held]). With more domains than processors a cycle may
   come too late: for a cycle each domain has to run once for each stage, beside all
   others; for a stop each domain has to run once. */

#include "hh.h"

size_t hh_least_global = (size_t)32 << 20;
size_t hh_least_shared = (size_t)4 << 20;

static size_t at_least(size_t bytes, size_t least) { return bytes < least ? least : bytes; }

/* {1 Bytes shared} */

static size_t for_good_then, /* [for_good] of all domains when the last cycle began */
    frozen_then;             /* bytes of the shared heap when the last cycle began */
static size_t marked_then, /* marked bytes in total before the last cycle */
    marked;                /* bytes that the last cycle marked */
static size_t cost_then, /* bytes read in total before the last cycle */
    cost;                /* bytes that the last cycle read, or that lived after a stop */
static _Atomic size_t
    least_pinned,  /* least bytes of chunks with a pin since the last cycle ended */
    least_pins,    /* least bytes of pinned objects since the last cycle ended */
    refilled_then; /* [refilled] of all domains when the last cycle ended */
static size_t frozen_alive;         /* bytes found alive when the only heap was frozen;
                                       0 after the next cycle has begun */

/* Memory outside the heaps that shared blocks hold, since the last cycle began
   (custom.c). */
static _Atomic size_t outside;
void hh_note_outside(size_t bytes) { atomic_fetch_add(&outside, bytes); }

static void note_shared(void) {
  outside = 0;
  for_good_then = hh_total(for_good);
  frozen_then = hh_bytes(&hh_frozen);
}

/* Bytes shared since the last cycle began, which only a cycle or a stopped world can
   free. */
static size_t shared_since(void) {
  size_t frozen = hh_bytes(&hh_frozen);
  return hh_total(for_good) - for_good_then + outside +
         (frozen > frozen_then ? frozen - frozen_then : 0);
}

/* How much [now] exceeds the least value since the last cycle. */
static size_t grown(size_t now, _Atomic size_t *least_then) {
  size_t least = *least_then;
  if (now < least) *least_then = least = now;
  return now - least;
}

/* Growth of the chunks with a pin since the last cycle ended. */
static size_t pinned_since(void) { return grown(hh_total(pinned_chunks), &least_pinned); }

/* Growth of the pinned bytes since the last cycle ended; [refilled_since]: the part in
   holes. */
static size_t more_since(void) { return grown(hh_note_most_pinned(), &least_pins); }

static size_t refilled_since(void) {
  size_t refilled = hh_total(refilled) - refilled_then, more = more_since();
  return refilled < more ? refilled : more;
}

/* 1 if the free room of the pool is more than twice the room at the end of the last
   cycle: domains do not take it, and a cycle may free the few pinned words that hold
   each chunk. */
static size_t pooled_then;
static int much_is_pooled(void) { return hh_pooled() > 2 * pooled_then + 2 * hh_least_global; }

static void note_pinned(void) {
  pooled_then = hh_pooled();
  least_pinned = hh_total(pinned_chunks);
  least_pins = hh_note_most_pinned();
  refilled_then = hh_total(refilled);
}

static size_t grown_then, /* [hh_waits_since] when the last cycle began, or 0 */
    swept_then;           /* [swept] of all domains when the last cycle began */

/* The factor by which the next cycle waits longer for objects pinned until a join. The
   smaller the share of such bytes that the last cycle freed, the greater the factor:
   where branches keep their objects, joins unpin nearly all objects. Until a first
   cycle has looked, the program is assumed to be of this kind. */
static const size_t patience_at_first = 4, most_patience = 8;

static size_t patience(void) {
  if (grown_then == 0) return patience_at_first;
  size_t swept = hh_total(swept) - swept_then, half = grown_then / 2;
  if (swept >= half) return 1;
  return swept < half / most_patience ? most_patience : half / swept;
}

/* Bytes pinned until joins that start a cycle. The cycle will also have to read the
   private objects of leaves. */
static size_t due_until_joins(void) {
  size_t due = at_least(cost, hh_total(known)) * patience();
  return at_least(due, 2 * hh_least_shared);
}

static int much_for_good(void) { return shared_since() > at_least(cost, hh_least_shared); }
static int much_refilled(size_t due) { return refilled_since() > due; }
static int much_pinned(size_t due) { return pinned_since() > due; }

static int much_is_shared(void) {
  size_t due = due_until_joins();
  return much_for_good() || much_refilled(due) || much_pinned(due) || much_is_pooled();
}

size_t hh_waits_since(void) {
  return at_least(shared_since(), at_least(pinned_since(), refilled_since()) / 2);
}

/* Resets the triggers: the shared objects have just been collected, by the only domain
   or with the world stopped. */
void hh_note_shared_lives(void) {
  note_shared();
  marked = hh_bytes(&hh_frozen) + hh_note_most_pinned();
  cost = hh_alone() ? 0 : hh_held();
  note_pinned();
  grown_then = 0; /* the garbage that the last cycle waited for is gone */
  frozen_alive = 0;
}

/* Call before a freeze of the only heap, whose last full collection found [alive]
   bytes alive. A cycle would mark all these bytes and free none, so the bytes count as
   shared and marked already. Objects without fields cost the cycle nothing. */
void hh_note_freezes(size_t alive, size_t without_fields) {
  frozen_then += alive;
  frozen_alive += alive;
  marked += alive;
  cost += alive > without_fields ? alive - without_fields : 0;
}

size_t hh_frozen_alive(void) { return frozen_alive; }

/* {1 Bytes held} */

static size_t live; /* bytes held after the last stop, or after a collection of the
                       only leaf */
static _Atomic size_t tried; /* bytes held when the last cycle ended, if [trying], or 0 */
static int trying;           /* the cycle began while more was held than [most_held] */

void hh_note_all_live(void) {
  live = hh_held();
  tried = 0;
}

/* Bytes held, without chunks under collection and without free bytes of the pool. */
static size_t held(void) {
  size_t all = hh_held(), other = hh_pooled();
  each_domain(x) other += hh_read(x->collecting);
  return all > other ? all - other : 0;
}

/* Bytes that were pinned in the domains' leaves after the last full collections. */
static size_t pinned_left(void) {
  size_t n = 0;
  each_domain(x) n += hh_read(x->leaf->live.pinned) + hh_read(x->leaf->live.expired);
  return n;
}

/* The limit: twice the bytes known to live. Shared bytes count as far as the last
   cycle marked them; bytes pinned in leaves count in any case, as a cycle has to look
   at them first. */
static size_t most_held(void) {
  size_t shared = hh_bytes(&hh_frozen) + hh_note_most_pinned(), pinned = pinned_left();
  if (marked < shared) shared = marked;
  size_t known = hh_total(known) + (shared > pinned ? shared : pinned);
  return 2 * at_least(known > live ? known : live, hh_least_global);
}

/* 1 if more is held than the limit, and a cycle may help. Leaves then collect their
   private objects in full sooner (leaf.c), before a cycle looks at the shared
   objects. */
int hh_much_held(void) { return !hh_alone() && held() > most_held(); }

static int too_much_held(void) {
  size_t most = most_held();
  return held() > most + most / 4;
}

static size_t more_then; /* value of [more_since] when the cycle began */
static size_t more_in_cycle(void) {
  size_t more = more_since();
  return more > more_then ? more - more_then : 0;
}

/* A cycle is too late if so much was pinned meanwhile that a stop of the world is
   quicker: a domain that still has to answer runs at once if all others are stopped. */
static const size_t too_late = 3;

static int cycle_too_late(void) {
  if (hh_stage_of(hh_stage) == END) return 0; /* the cycle is over or about to be */
  return more_in_cycle() > at_least(too_late * cost, hh_least_global / 2);
}

static int twice_the_limit(size_t now, size_t most) { return now > 2 * most; }

/* A cycle that began in this state did not help. */
static int cycles_do_not_help(size_t now, size_t most) {
  return now > most && tried && now > tried + most / 8;
}

/* Without cycles, stops are the only collections of shared objects. */
static int held_doubled(void) { return hh_held() > at_least(2 * live, hh_least_global); }
static int much_for_good_alone(void) {
  return shared_since() > at_least(live, 4 * hh_least_shared);
}

int hh_global_due(void) {
  if (hh_stacks_due() || cycle_too_late()) return 1;
  if (!hh_concurrent) return held_doubled() || much_for_good_alone();
  size_t now = held(), most = most_held();
  return twice_the_limit(now, most) || cycles_do_not_help(now, most);
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
  marked_then = hh_total(marked);
  cost_then = hh_total(looked_at) + hh_total(scanned);
  trying = held() > most_held();
}

void hh_note_cycle_ends(int will_sweep) {
  if (!will_sweep) grown_then = 0;
  size_t frozen = hh_bytes(&hh_frozen);
  /* the missing chunks have moved to a leaf */
  if (frozen < frozen_then) frozen_then = frozen;
  marked = hh_total(marked) - marked_then;
  cost = hh_total(looked_at) + hh_total(scanned) - cost_then;
  note_pinned();
  tried = trying ? held() : 0;
}
