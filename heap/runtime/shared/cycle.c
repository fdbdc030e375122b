/* The concurrent collection (a cycle): collects shared objects, which are frozen or
   pinned.

   A cycle passes through stages. Each domain answers each stage once, at a poll point
   of its own. If a domain blocks, the driver (the domain that drives the cycle) takes
   the domain's lock and answers in its place. When all domains have answered, the next
   stage begins. Names in brackets are those of Doligez and Gonthier.

   stage       a domain that has answered ..
       IDLE        no longer sweeps for the last cycle
       SYNC1       shades the values that it overwrites in shared objects and, until its
                   scan, the values that it stores or publishes there; from here to END,
                   [hh_marking] is set and no pin expires
       SYNC2       knows that every domain shades; older stores have ended
       ASYNC       has shaded the shared objects that its roots and its private objects
                   hold; then the driver scans suspended tasks' heaps and the global
                   roots
       MARK        has handed over its grey stack; between rounds of MARK domains mark, a
                   slice after each collection, until a round of answers brings no grey
                   object
       FINALISE    has taken the finalisers of unmarked objects; these objects live on,
                   so marking continues
       CLEAR       has cleared its weak pointers to unmarked objects
       END         no longer shades

   FINALISE and CLEAR are skipped in a program without finalisers and weak pointers.

   After END, an object is dead if it was pinned before SYNC1, permanently or until a
   join, and is not marked. The owner unpins the object (sweep.c). An object that dies
   during a cycle is found by the next cycle. An object that a scanned domain publishes
   counts as marked.

   Safety, after Doligez and Gonthier (POPL 1994): an object that a scanned domain can
   reach either was reachable when all domains had answered SYNC2, or was published
   later. The cycle marks the first kind: on each path to the object lies an edge that
   was overwritten, a root that was scanned, or a store by a domain before its scan,
   and each of the three shades. A scanned domain can get an object from an unscanned
   domain only through a store of the last kind. The heap of a task is scanned by the
   domain that runs the task, by the driver while the task is suspended, or by a
   scanned domain before the domain resumes or joins the task. Records of branches and
   results are shared without a write barrier, so a domain that takes a value from a
   record shades the value. heap/model searches the rules. weak_and_final.c has the
   rules for weak pointers and finalisers.

   Limit: C code may move a pointer from one domain to another through a plain global
   root and keep the pointer nowhere else meanwhile; the cycle does not see the object
   then. A collection with the world stopped (global.c) abandons the cycle under way. */

#include "hh.h"
#include <caml/runtime_events.h>

_Atomic size_t hh_stage = END; /* counts stages; modulo STAGES: the present stage */
_Atomic int hh_marking;
_Atomic size_t hh_finished; /* the last cycle that heaps may be swept for, or 0 */
size_t hh_cycles;
int hh_concurrent = 1;

/* protects the variables below */
static pthread_mutex_t driving = PTHREAD_MUTEX_INITIALIZER;
static int running, /* a cycle is under way */
    tracing,        /* the marker may have grey objects */
    finalised;      /* FINALISE has been reached */
static greys work;

/* {1 Answers} */

static void scan(domain *x) {
  size_t began = hh_now_ns();
  CAML_EV_BEGIN(EV_MAJOR_MARK_ROOTS);
  hh_scan_private(x);
  CAML_EV_END(EV_MAJOR_MARK_ROOTS);
  size_t took = hh_now_ns() - began;
  hh_note_pause(&x->figures.scans, took, took);
}

static void judge_all(domain *x) {
  hh_judge(&x->own);
  if (x->leaf != &x->own) hh_judge(x->leaf);
}

/* Answers the present stage for domain [x]. The caller is [x] or holds the lock of
   [x]. */
static void answer(domain *x) {
  size_t stage = hh_stage;
  switch (hh_stage_of(stage)) {
  case SYNC1:
    x->greys.count = 0;
    x->watching = 1;
    x->cycle = hh_cycle;
    judge_all(x);
    break;
  case ASYNC: if (!x->has_scanned) scan(x); break;
  case MARK: hh_flush(&x->greys); break;
  case FINALISE: case CLEAR: hh_process_weak_of(x); break;
  case END:
    hh_mark_rest(&x->greys);
    x->watching = x->has_scanned = 0;
    hh_give_memory_back(&x->greys);
    break;
  default: break;
  }
  atomic_store(&x->stage, stage);
}

/* Call when a domain begins; [hh_leave_cycle] when a domain ends. */
void hh_join_cycle(domain *d) {
  size_t stage;
  do {
    stage = hh_stage;
    /* in IDLE, [hh_cycle] may be the next cycle's number already */
    d->cycle = hh_stage_of(stage) == IDLE ? 0 : hh_cycle;
  } while (stage != hh_stage);
  d->watching = hh_stage_of(stage) >= SYNC1 && hh_stage_of(stage) < END;
  d->has_scanned = d->watching && hh_stage_of(stage) >= ASYNC;
  d->greys.count = 0;
  d->stage = stage;
}

void hh_leave_cycle(domain *d) {
  if (hh_watches(d)) hh_flush(&d->greys);
  d->watching = d->has_scanned = 0;
}

/* {1 Driving}. The caller holds [driving]. */

static void enter_stage(domain *d, enum stage s) {
  size_t n = (hh_stage / STAGES + 1) * STAGES + s;
  atomic_store(&hh_stage, n);
  each_domain(x) if (x != d) hh_interrupt(x);
  answer(d);
}

static int answered_all(void) {
  int all = 1;
  each_domain(x) {
    if (x->stage == hh_stage) continue;
    if (pthread_mutex_trylock(&x->lock)) {
      all = 0;
      continue;
    }
    if (x->in_use && x->stage != hh_stage) answer(x);
    pthread_mutex_unlock(&x->lock);
  }
  return all;
}

static void begin(domain *d) {
  running = 1;
  hh_note_cycle_begins();
  atomic_store(&hh_finished, 0);
  enter_stage(d, IDLE);
}

/* Drops the state of the marker, when no domain shades any more. The inbox may still
   have entries from a domain that ended. The objects of the entries are marked
   already, and may become private or be freed at any time, so no later cycle may read
   the entries. */
static void forget(void) {
  hh_give_memory_back(&work);
  finalised = 0;
  hh_clear_inbox();
  hh_forget_ephemerons();
  hh_forget_revived();
}

static void begin_sync(domain *d) {
  hh_cycle++;
  atomic_store(&hh_marking, 1);
  hh_judge_frozen();
  enter_stage(d, SYNC1);
}

static void scan_the_rest(domain *d) {
  hh_scan_common(d);
  hh_scan_suspended(d);
  hh_flush(&d->greys);
  tracing = 1;
}

/* Marks a slice; returns 1 if the marker has no grey object left. */
static int trace(domain *d, size_t words) {
  size_t began = hh_now_ns();
  hh_take_inbox(&work);
  CAML_EV_BEGIN(EV_MAJOR_MARK);
  int done = hh_mark_some(&work, words);
  CAML_EV_END(EV_MAJOR_MARK);
  size_t took = hh_now_ns() - began;
  hh_note_pause(&d->figures.slices, took, took);
  return done;
}

static void ask_for_greys(domain *d) {
  tracing = 0;
  hh_begin_round();
  enter_stage(d, MARK);
}

/* Ends a cycle without FINALISE and CLEAR: no finaliser or ephemeron existed before all
   reachable objects were marked. */
static void end(domain *d) {
  if (hh_verify_cycle(d)) enter_stage(d, END);
}

/* Decides that unmarked objects are dead, unless a domain has just read a weak pointer
   to an unmarked object. */
static void decide(domain *d) {
  if (!hh_decide()) tracing = 1;
  else if (hh_verify_cycle(d)) enter_stage(d, CLEAR);
}

static void finalise(domain *d) {
  finalised = 1;
  hh_process_weak_rest(d);
  if (hh_shade_revived(&work)) tracing = 1;
  else decide(d);
}

static void clear(domain *d) {
  hh_process_weak_rest(d);
  hh_decided = 0;
  if (hh_verify_cleared(d)) enter_stage(d, END);
}

static void finish(domain *d) {
  hh_take_inbox(&work); /* from a domain that ended */
  hh_mark_rest(&work);
  forget();
  hh_sweep_suspended(); /* suspended tasks stay suspended only while [hh_marking] */
  atomic_store(&hh_marking, 0);
  hh_sweep_frozen(d);
  atomic_store(&hh_finished, hh_cycle);
  each_domain(x) hh_interrupt(x); /* asks the domains to sweep */
  running = 0;
  hh_count(hh_cycles, 1);
  hh_note_cycle_ends(1);
}

/* Begins the next stage: all domains have answered the present stage. */
static void next(domain *d) {
  switch (hh_stage_of(hh_stage)) {
  case IDLE: begin_sync(d); break;
  case SYNC1: enter_stage(d, SYNC2); break;
  case SYNC2: enter_stage(d, ASYNC); break;
  case ASYNC: scan_the_rest(d); break;
  case MARK:
    if (hh_brought() || hh_look_again(&work)) tracing = 1;
    else if (!hh_weak_or_final) end(d);
    else if (!finalised) enter_stage(d, FINALISE);
    else decide(d);
    break;
  case FINALISE: finalise(d); break;
  case CLEAR: clear(d); break;
  default: finish(d); break;
  }
}

/* The words to mark in a slice: about as long as a young collection, and more if the
   program shares faster than the cycle marks. */
static size_t slice(void) {
  return (48 << 10) * (1 + hh_waits_since() / (hh_least_shared + 1));
}

/* 1 if no running domain still has to sweep for the last cycle. A running domain
   sweeps at its next collection, which [finish] asked for; the next cycle must not
   begin earlier. Domains that block do not count. */
static int swept_all(void) {
  each_domain(x) {
    if (!hh_sweep_waits(x->leaf)) continue;
    if (pthread_mutex_trylock(&x->lock)) return 0;
    pthread_mutex_unlock(&x->lock);
  }
  return 1;
}

/* Drives the cycle as far as possible without waiting. While there is a single heap
   the cycle is abandoned: global variables may then point to private objects, and a
   scan of global variables does not follow private objects. The next full collection
   collects all shared objects anyway. */
static void drive(domain *d) {
  if (running && hh_alone()) hh_abandon_cycle();
  if (!running && hh_cycle_due() && swept_all()) begin(d);
  for (int steps = 0; running && steps < STAGES + 2; steps++)
    if (tracing) {
      if (!trace(d, slice())) return;
      ask_for_greys(d);
    } else if (answered_all())
      next(d);
    else
      return;
}

static _Atomic int answered; /* set by each answer: tells a driver that an answer came
                                while it drove */
/* Called by a domain after a collection of its leaf. Returns 0 if the cycle waits for
   answers of domains. */
int hh_step(domain *d) {
  if (!hh_concurrent || (!running && !hh_cycle_due())) return 1;
  while (!pthread_mutex_trylock(&driving)) {
    answered = 0;
    drive(d);
    int goes_on = !running || tracing;
    pthread_mutex_unlock(&driving);
    if (!answered) return goes_on;
  }
  return !running;
}

/* Answers the present stage, then tries to drive. After the last answer, the next
   stage is begun by this domain or by the domain that is driving meanwhile. */
void hh_answer(domain *d) {
  while (d->stage != hh_stage) answer(d);
  answered = 1;
  hh_step(d);
}

/* Drops the cycle under way and its marks. Call with the world stopped, or alone: no
   driver is in the middle of a step then. */
void hh_abandon_cycle(void) {
  atomic_store(&hh_finished, 0);
  if (!running) return;
  running = tracing = 0;
  forget();
  atomic_store(&hh_marking, 0);
  atomic_store(&hh_stage, (hh_stage / STAGES + 1) * STAGES + END);
  each_domain(x) {
    hh_give_memory_back(&x->greys);
    x->watching = x->has_scanned = 0;
    x->stage = hh_stage;
  }
  hh_note_cycle_ends(0);
}
