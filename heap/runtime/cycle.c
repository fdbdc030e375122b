/* The concurrent collection of what is shared: frozen, or pinned for good.

   Nobody stops the world for it. A cycle passes through stages; each domain answers to
   a stage at a safe point of its own, where OCaml code looks up, and for one that
   blocks whoever drives the cycle answers, holding its lock. When all have answered
   the next stage begins. Between two answers a domain waits for nobody, but see pace.c.

   - REST: it sweeps no more for the last cycle.
   - GREET: from here on ([hh_marking]) it shades what it overwrites in shared objects,
     and, until it is scanned, what it stores or publishes there.
   - AGAIN: so does every domain; stores that began before that are over.
   - SCAN: what its roots and its private objects hold of what is shared is shaded.
     Then suspended tasks' heaps are scanned, and what belongs to all.
   - FLUSH: it hands over what it has shaded. Between these domains mark, a slice at
     each of their collections, until a round of them brings nothing.
   - FINAL: it takes the finalisers of what was not met. That lives, so marking goes on.
   - CLEAR: it clears weak pointers to what was not met. (Neither comes without any.)
   - END: it shades no more.

   Then what was pinned before GREET, for good or until a join, and was not met is dead. Its
   owner unpins it (sweep.c). So what dies when a cycle has begun is found by the next; what is
   published meanwhile by who was scanned is taken to be met.

   Safety, after Doligez and Gonthier (POPL 1994): what a scanned domain can reach was
   reachable when all had answered AGAIN, or has been published since. The first is met,
   since of each path to it some edge that was overwritten, some root that was scanned
   or some store of who was not yet leads to it; what a domain has of one that is not
   scanned it has by such a store. A task's heap is scanned by whoever runs it, by the
   driver while it is suspended, or by a scanned domain before that resumes or joins it;
   records of branches and results are shared without a barrier, so who takes from one
   shades. heap/model searches the rules. Weak pointers and finalisers are told.c's.

   C code that moves a pointer from one domain to another through a plain global root, and
   keeps it nowhere else meanwhile, is not seen. Collections of the stopped world (global.c)
   do away with the cycle that is under way. */

#include "hh.h"
#include <caml/runtime_events.h>

_Atomic size_t hh_stage = END; /* grows; modulo STAGES it is one of them */
_Atomic int hh_marking;
_Atomic size_t hh_finished; /* the last cycle that may be swept for, or 0 */
size_t hh_cycles;
int hh_concurrent = 1;

static pthread_mutex_t driving = PTHREAD_MUTEX_INITIALIZER; /* of what follows */
static int running, tracing, finalised; /* FINAL has been */
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

/* By the domain, or by who holds its lock. */
static void answer(domain *x) {
  size_t stage = hh_stage;
  switch (hh_stage_of(stage)) {
  case GREET:
    x->greys.count = 0;
    x->watching = 1;
    x->cycle = hh_cycle;
    judge_all(x);
    break;
  case SCAN: if (!x->has_scanned) scan(x); break;
  case FLUSH: hh_flush(&x->greys); break;
  case FINAL: case CLEAR: hh_tend_all_of(x); break;
  case END:
    hh_see_rest(&x->greys);
    x->watching = x->has_scanned = 0;
    hh_give_memory_back(&x->greys);
    break;
  default: break;
  }
  atomic_store(&x->stage, stage);
}

/* Of a domain that begins, or ends. */
void hh_join_cycle(domain *d) {
  size_t stage;
  do {
    stage = hh_stage;
    d->cycle = hh_stage_of(stage) == REST ? 0 : hh_cycle; /* there the next one has its number */
  } while (stage != hh_stage);
  d->watching = hh_stage_of(stage) >= GREET && hh_stage_of(stage) < END;
  d->has_scanned = d->watching && hh_stage_of(stage) >= SCAN;
  d->greys.count = 0;
  d->stage = stage;
}

void hh_leave_cycle(domain *d) {
  if (hh_watches(d)) hh_flush(&d->greys);
  d->watching = d->has_scanned = 0;
}

/* {1 Driving}, with the lock. */

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
  enter_stage(d, REST);
}

/* Nobody watches any more. What a domain that ended has given meanwhile is met, and may
   be private, or gone, before anybody looks at it. */
static void forget(void) {
  hh_give_memory_back(&work);
  finalised = 0;
  hh_clear_inbox();
  hh_forget_ephemerons();
  hh_forget_revived();
}

static void greet(domain *d) {
  hh_cycle++;
  atomic_store(&hh_marking, 1);
  hh_judge_frozen();
  enter_stage(d, GREET);
}

static void scan_the_rest(domain *d) {
  hh_scan_common(d);
  hh_scan_suspended(d);
  hh_flush(&d->greys);
  tracing = 1;
}

/* 1 if nothing is left in hand. */
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
  enter_stage(d, FLUSH);
}

/* Nobody has told of any object, or nobody had before all was met. */
static void end(domain *d) {
  if (hh_verify_cycle(d)) enter_stage(d, END);
}

/* What was not met is dead, unless somebody has just read a weak pointer to it. */
static void decide(domain *d) {
  if (!hh_decide()) tracing = 1;
  else if (hh_verify_cycle(d)) enter_stage(d, CLEAR);
}

static void finalise(domain *d) {
  finalised = 1;
  hh_tend_the_rest(d);
  if (hh_shade_revived(&work)) tracing = 1;
  else decide(d);
}

static void clear(domain *d) {
  hh_tend_the_rest(d);
  hh_decided = 0;
  if (hh_verify_cleared(d)) enter_stage(d, END);
}

static void finish(domain *d) {
  hh_take_inbox(&work); /* of a domain that ended */
  hh_see_rest(&work);
  forget();
  hh_sweep_suspended(); /* that they stay so is known while [hh_marking] */
  atomic_store(&hh_marking, 0);
  hh_sweep_frozen(d);
  atomic_store(&hh_finished, hh_cycle);
  each_domain(x) hh_interrupt(x); /* to sweep */
  running = 0;
  hh_count(hh_cycles, 1);
  hh_note_cycle_ends(1);
}

/* All have answered. */
static void next(domain *d) {
  switch (hh_stage_of(hh_stage)) {
  case REST: greet(d); break;
  case GREET: enter_stage(d, AGAIN); break;
  case AGAIN: enter_stage(d, SCAN); break;
  case SCAN: scan_the_rest(d); break;
  case FLUSH:
    if (hh_brought() || hh_look_again(&work)) tracing = 1;
    else if (!hh_told) end(d);
    else if (!finalised) enter_stage(d, FINAL);
    else decide(d);
    break;
  case FINAL: finalise(d); break;
  case CLEAR: clear(d); break;
  default: finish(d); break;
  }
}

/* As long as a young collection, or longer if the program shares faster than it is marked. */
static size_t slice(void) {
  return (48 << 10) * (1 + hh_waits_since() / (hh_least_shared + 1));
}

/* Who runs sweeps at its next collection, which it was asked for; the next cycle would come
   before that. Who waits does not count. */
static int swept_all(void) {
  each_domain(x) {
    if (!hh_sweep_waits(x->leaf)) continue;
    if (pthread_mutex_trylock(&x->lock)) return 0;
    pthread_mutex_unlock(&x->lock);
  }
  return 1;
}

/* Where there is one heap, variables may lead to what is private, and no scan looks
   there. The next full collection takes all that is shared anyway. */
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

static _Atomic int answered; /* somebody, and another may have been driving */
/* Called by a domain when it has collected its leaf. 0 if others have to go on. */
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

/* The last one to answer goes on to the next stage, or who drives meanwhile. */
void hh_answer(domain *d) {
  while (d->stage != hh_stage) answer(d);
  answered = 1;
  hh_step(d);
}

/* With the world stopped, or alone: what was marked is forgotten. Who was driving is
   not in the middle of it. */
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
