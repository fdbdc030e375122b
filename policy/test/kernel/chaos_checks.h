/* {Invariants} */

static void fault(struct fake *f, const char *what) {
  struct thread *it = &threads[f->number];
  SAY("task %d, thread %u: cpu %d, mask %llx, state %d of core %d, flight %u, leaving %d",
      NAME(f), f->number, f->cpu, (u64)f->seen->bits[0], it->state, it->core, it->flight,
      it->leaving);
  wrong(what);
}

static void check_tables(void) {
  static u8 seen[MAX_THREADS];
  memset(seen, 0, sizeof seen);
  for (int c = 0; c < MAX_CORES; c++) {
    s64 load = 0, all = 0;
    for (int s = 0; s < STATES; s++) {
      s64 n = 0;
      u32 before = 0;
      if (s == RUNNING) {
        u32 t = cores[c].current;
        if (t) {
          if (seen[t]++ || threads[t].state != s || threads[t].core != c)
            wrong("a running thread is elsewhere");
          n = 1, load += threads[t].load;
        }
      } else if (counted(s)) {
        for (u32 t = cores[c].queue[s].first; t; t = threads[t].next) {
          if (seen[t]++) wrong("a thread stands in two places");
          if (threads[t].state != s || threads[t].core != c) wrong("a thread is elsewhere");
          if (threads[t].previous != before) wrong("a queue is linked badly");
          if (before && has_keys(s) && !cores[c].queue[s].unsorted) {
            keys_of(t, s);
            if (stands_before(t, before, s)) wrong("a queue is out of order");
          }
          if (!serves(c)) wrong("a thread waits at no core");
          before = t;
          n++, load += threads[t].load;
        }
        if (cores[c].queue[s].last != before) wrong("the end of a queue");
      } else
        continue;
      if (cores[c].count[s] != n) wrong("a count");
      if (displaced_to(s) != NOWHERE && n > 1) wrong("two threads in a state of one");
      all += n;
    }
    if (cores[c].cload != load) wrong("cload");
    if (cores[c].runnable != all) wrong("runnable");
  }
  for (u32 t = 1; t < used; t++) {
    if (!seen[t] && threads[t].state != NOWHERE) wrong("a thread stands nowhere");
    if (threads[t].flight != STILL) wrong("a thread is still on its way");
  }
}

static bool contains(struct fake **list, int n, struct fake *f) {
  for (int i = 0; i < n; i++)
    if (list[i] == f) return true;
  return false;
}

static void check_task(struct fake *f) {
  u32 t = f->number;
  struct thread *it = &threads[t];
  if (!f->alive) return;
  if (!f->runnable) {
    if (t && it->state != NOWHERE) fault(f, "a thread that sleeps is ready");
    return;
  }
  if (cpus[f->cpu].current == f) {
    if (t && serves(f->cpu) && !(f->p.scx.flags & SCX_TASK_QUEUED)) fault(f, "out of its class");
    if (t && (it->state != RUNNING || it->core != f->cpu)) fault(f, "a task runs elsewhere");
    return;
  }
  bool local = contains(cpus[f->cpu].local, cpus[f->cpu].locals, f);
  bool anywhere = contains(global, globals, f);
  if (local + anywhere + (f->ops == QUEUED) != 1) fault(f, "a task is lost, or doubled");
  if (local) {
    /* A task that ends or is pinned returns to the local queue without a callback. */
    if (t && it->state != NOWHERE && ((it->state != RUNNING && !it->leaving) || it->core != f->cpu))
      fault(f, "a task of a local queue is ready elsewhere");
  } else if (anywhere) {
    if (t && it->state != NOWHERE && it->state != RUNNING && !it->leaving)
      fault(f, "a task of the global queue is ready");
  } else {
    if (!t) fault(f, "a task of no thread is left to the policy");
    if (it->state == NOWHERE) fault(f, "a ready task is lost");
    if (it->state == RUNNING) fault(f, "a ready task is said to run");
    if (!allowed(t, it->core)) fault(f, "a ready task waits where it may not run");
    if (it->leaving) fault(f, "a ready task is still leaving");
  }
}

static void settle_down(void) {
  for (int again = 1, rounds = 0; again;) {
    again = 0;
    for (int i = 0; i < CPUS; i++)
      if (cpus[i].suspended) resume(i), again = 1;
    for (int i = 0; i < TASKS; i++)
      if (tasks[i].alive) {
        struct fake *f = &tasks[i];
        if (f->exiting && f->waking) {
          if (f->runnable) wrong("the test: it ends twice");
          CALL(0, exit_task(&f->p, 0));
          f->alive = f->waking = false;
        } else if (f->misplaced) {
          int on = some_cpu();
          if (!below(4) && on >= 0) balances(on);
          if (f->misplaced) replaced(0, f);
          again = 1;
        } else if (f->migrating || (f->waking && !f->misplaced))
          arrives(0, f), again = 1;
      }
    if (rounds++ > 1000) wrong("the test: it does not settle");
  }
}

static void check(void) {
  check_tables();
  for (int i = 0; i < TASKS; i++) check_task(&tasks[i]);
}

/* Every CPU that should look for a task does. Then no CPU idles beside a ready thread
   of its core, or beside its own queue. */
static void drain(void) {
  for (int rounds = 0;; rounds++) {
    int n = -1;
    if (rounds > 10000) wrong("CPUs look for tasks for ever");
    for (int c = 0; c < CPUS && n < 0; c++)
      if (cpus[c].resched && !cpus[c].rt) n = c;
    if (n < 0) break;
    pick(n);
    settle_down();
    check();
  }
  for (int c = 0; c < CPUS; c++) {
    if (!is_online(c) || cpus[c].rt || cpus[c].current) continue;
    if (cpus[c].locals) wrong("a CPU idles beside its queue");
    for (int i = 0; i < globals; i++)
      if (may(global[i], c)) wrong("a CPU idles beside the global queue");
    if (cores[c].runnable) wrong("a CPU idles beside a ready thread of its core");
  }
}
