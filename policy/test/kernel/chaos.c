/* A generated scheduler in this process, with a kernel around it. At random, the kernel
   does anything that kernel/sched/core.c and ext.c may do: tasks wake, block, end, are
   forked, change their affinity and their class, may not migrate, are preempted.
   Another CPU acts at every point where no lock of the policy is held. After each
   operation the place of every task is checked.

        cc -DPOLICY='"fifo.bpf.c"' chaos.c; ./a.out SEED OPERATIONS */

#include <stdio.h>
extern void exit(int);
extern void *malloc(unsigned long);
extern long long atoll(const char *);
extern unsigned alarm(unsigned);
#include <string.h>
#include POLICY

/* A policy may have functions with these names. */
#define pick kernel_picks
#define drop kernel_drops
#define check kernel_is_right

#define TASKS 80
#define CPUS 6

#include "chaos_helpers.h"
#include "chaos_kernel.h"
#include "chaos_happens.h"
#include "chaos_checks.h"

/* {One operation}, and the operations between steps of the policy */

static bool too_many_tasks; /* more tasks than there are numbers */
static bool quiet;          /* few tasks wake, so that CPUs have no thread to run */

static bool act(void) {
  int n = some_cpu();
  struct fake *f = some_task();
  if (n < 0) return false;
  struct cpu *c = &cpus[n];
  said_now++;
  said_draw = below(1 << 20);
  said_random = below(1 << 30);
  for (int i = 0; i < CPUS; i++)
    if (cpus[i].suspended && below(2)) {
      SAY("%d resumes", i);
      resume(i);
      return true;
    }
  for (int i = 0; i < TASKS; i++)
    if (tasks[i].alive && tasks[i].misplaced && below(2)) {
      SAY("%d is put elsewhere", i);
      replaced(n, &tasks[i]);
      return true;
    }
  for (int i = 0; i < TASKS; i++)
    if (tasks[i].alive && (tasks[i].migrating || (tasks[i].waking && !tasks[i].exiting &&
                                                 !tasks[i].runnable && depth == 1))) {
      if (below(2)) return arrives(n, &tasks[i]);
    }
  switch (below(20)) {
  case 0: return !(quiet && below(16)) && forks(n);
  case 1:
  case 2:
  case 3: return f && !(quiet && below(16)) && wakes(n, f, SCX_WAKE_TTWU);
  case 4:
  case 5: return blocks(n);
  case 6:
    if (c->current && !c->rt && !c->current->pinned && !below(too_many_tasks ? 8 : 2)) {
      c->current->exiting = true;
      c->current->p.flags |= PF_EXITING;
      SAY("%d on %d is to end", NAME(c->current), n);
    }
    return true;
  case 7:
  case 8: return f && affinity(n, f);
  case 9: return f && renices(n, f);
  case 10: return f && reclasses(n, f);
  case 11: return pins(n);
  case 12:
    if (c->rt) {
      c->rt = false;
      c->resched = true;
      SAY("%d is given back", n);
    } else if (!below(3)) {
      SAY("%d is taken by a higher class", n);
      preempted(n);
      c->rt = true;
    }
    return true;
  case 13:
    return balances(n);
  case 14:
  case 15:
    if (!c->current) return false;
    SAY("%d on %d: tick", NAME(c->current), n);
    c->busy = true;
    CALL(n, tick(&c->current->p));
    c->busy = false;
    if (!c->current->p.scx.slice) c->resched = true;
    if (bypass || c->current->p.scx.slice < FOREVER) {
      c->current->p.scx.slice = 0;
      c->resched = true;
    }
    return true;
  case 16:
    if (!c->current) return false;
    SAY("%d on %d: yield", NAME(c->current), n);
    CALL(n, yield(&c->current->p, 0));
    c->resched = true;
    return true;
  default:
    if (c->resched && !c->rt) {
      SAY("%d picks", n);
      pick(n);
    }
    return true;
  }
}

/* Another CPU, or an interrupt, between two steps of the policy. */
static void point(void) {
  if (held || depth == 0 || depth > 2 || below(on_its_way() ? 3 : 12)) return;
  long long now = said_now, draw = said_draw, r = said_random;
  depth++;
  act();
  depth--;
  said_draw = draw;
  said_random = r;
  (void)now;
}

static void some_topology(u32 which) {
  online.bits[0] = which & 4 ? 0x1b : 0x3f;
  topology.known = 0;
  if (!(which & 3)) return;
  topology.known = 1;
  topology.cores = CPUS;
  topology.all[0] = online.bits[0];
  if ((which & 3) == 1) {
    topology.groups = 2;
    topology.group[0].cores[0] = 0x07 & online.bits[0];
    topology.group[1].cores[0] = 0x38 & online.bits[0];
    topology.domains = 1;
    topology.domain[0].cores[0] = online.bits[0];
    topology.domain[0].groups[0] = 3;
  } else {
    topology.groups = CPUS + 2;
    for (int c = 0; c < CPUS; c++)
      topology.group[c].cores[0] = (1ULL << c) & online.bits[0];
    topology.group[CPUS].cores[0] = 0x07 & online.bits[0];
    topology.group[CPUS + 1].cores[0] = 0x38 & online.bits[0];
    topology.domains = 3;
    topology.domain[0].cores[0] = 0x07 & online.bits[0];
    topology.domain[0].groups[0] = 0x07;
    topology.domain[1].cores[0] = 0x38 & online.bits[0];
    topology.domain[1].groups[0] = 0x38;
    topology.domain[2].cores[0] = online.bits[0];
    topology.domain[2].groups[0] = 0xc0;
  }
}

int main(int argc, char **argv) {
  chance_state = argc > 1 ? atoll(argv[1]) : 1;
  long long last = argc > 2 ? atoll(argv[2]) : 10000;
  bool quiet_game = chance_state > 120 && chance_state % 2; /* faults are shown by games of both kinds */
  alarm(60);
  below(2);
  some_topology(below(8));
  too_many_tasks = !below(3);
  for (int i = 0; i < TASKS; i++) tasks[i].p.pid = i + 1;
  if (init()) wrong("init");
  for (operations = 1; operations <= last; operations++) {
    depth = 1;
    act();
    settle_down();
    depth = 0;
    check();
    if (!below(50)) drain();
    if (quiet_game && !below(300)) quiet = !quiet;
    if (!below(400)) {
      bypasses(true);
      check();
      for (int i = below(20); i > 0; i--) {
        act();
        settle_down();
        check();
      }
      bypasses(false);
      settle_down();
      check();
      drain();
    }
  }
  drain();
  bypasses(true);
  for (int i = 0; i < TASKS; i++)
    if (tasks[i].alive) exit_task(&tasks[i].p, 0);
  for (int c = 0; c < CPUS; c++)
    if (cores[c].runnable) wrong("a thread is left at the end");
  return 0;
}
