/* C functions that wait without a poll point; OCaml code always polls. */

#include <caml/mlvalues.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>
#include <unistd.h>

extern _Atomic uintptr_t caml_num_domains_running;

/* Waits until the other domains have ended, the last steps of their ends included. */
value hold_till_alone(value unit) {
  while (atomic_load(&caml_num_domains_running) > 1) usleep(1000);
  usleep(10000);
  return unit;
}

/* [hold_in_cycle] holds a cycle back in its handshakes (SYNC1 to ASYNC), until
   [release_cycle] or until the world has to stop. */

extern _Atomic size_t hh_stage;
extern _Atomic int hh_marking, hh_stopping;
enum { SYNC1 = 1, ASYNC = 3, STAGES = 8 };
static _Atomic int held, released;

value hold_in_cycle(value unit) {
  size_t stage = hh_stage % STAGES;
  (void)unit;
  if (stage < SYNC1 || stage > ASYNC) return Val_false;
  held = 1;
  while (!released && !hh_stopping) usleep(1000);
  return Val_true;
}

value cycle_is_held(value unit) {
  (void)unit;
  return Val_bool(held && hh_marking);
}

value release_cycle(value unit) {
  released = 1;
  return unit;
}

value cycle_marks(value unit) {
  (void)unit;
  return Val_bool(hh_marking);
}

/* The next functions serve a domain (the holder) that is asked to scan while it runs C
   code; the scan waits for the end of the C function. Two domains take these steps:

     stage   holder                               second domain
     SYNC1   answers last, drives the cycle on    has answered
     SYNC2   is in C code                         waits for the holder, answers last,
                                                  drives the cycle to ASYNC */

#include <caml/alloc.h>
#include <caml/memory.h>

enum { SYNC2 = 2 };
static _Atomic int is_there;

static size_t stage_now(void) { return hh_stage % STAGES; }

static void wait_while(size_t stage, int us) {
  for (; hh_stage == stage && us > 0; us -= 10) usleep(10);
}

static int is_asked(void) {
  size_t stage = hh_stage;
  if (stage_now() != SYNC2) {
    wait_while(stage, 500);
    return 0;
  }
  is_there = 1;
  wait_while(stage, 20000);
  is_there = 0;
  return stage_now() == ASYNC;
}

value wait_for_holder(value unit) {
  for (int n = 0; n < 500 && !is_there && stage_now() >= SYNC1 && stage_now() <= SYNC2; n++)
    usleep(10);
  return unit;
}

/* Once released, makes one array for each of [lists]; the array is then the only pointer
   to the list. The result is empty if no cycle asked the holder to scan. */
value arrays_in_cycle(value lists) {
  CAMLparam1(lists);
  CAMLlocal2(all, one);
  all = Atom(0);
  if (!is_asked()) CAMLreturn(all);
  held = 1;
  while (!released) usleep(1000);
  all = caml_alloc_shr(Wosize_val(lists), 0);
  for (mlsize_t i = 0; i < Wosize_val(all); i++) Field(all, i) = Val_unit;
  for (mlsize_t i = 0; i < Wosize_val(all); i++) {
    one = caml_alloc_shr(400, 0);
    for (mlsize_t k = 0; k < Wosize_val(one); k++) Field(one, k) = Field(lists, i);
    caml_modify(&Field(all, i), one);
  }
  held = released = 0;
  CAMLreturn(all);
}

/* True from ASYNC on: a domain that polls once more has then been scanned. */
value cycle_scans(value unit) {
  size_t stage = hh_stage % STAGES;
  (void)unit;
  return Val_bool(hh_marking && stage >= ASYNC);
}

/* Holds a cycle from ASYNC on; the calling domain reaches no poll point meanwhile. */
value hold_from_scan(value unit) {
  if (cycle_scans(unit) == Val_false) return Val_false;
  while (!released && !hh_stopping) usleep(1000);
  return Val_true;
}

/* MARK is the stage of cycle.c in which each domain hands over its marked
   objects. A domain in [hold_answer] answers each MARK request only after
   [let_answer]. */

extern _Atomic int hh_stopping;
enum { MARK = 4 };
static _Atomic size_t answers;

/* The number of the current MARK request, or 0 in any other stage. */
value cycle_asks(value unit) {
  size_t stage = hh_stage;
  (void)unit;
  return Val_long(stage % STAGES == MARK ? stage : 0);
}

value hold_answer(value unit) {
  while (cycle_asks(unit) != Val_long(0) && answers != hh_stage && !hh_stopping) usleep(100);
  return unit;
}

value let_answer(value stage) {
  answers = (size_t)Long_val(stage);
  return Val_unit;
}
