/* {Events} Each function returns false if the event cannot happen now. */

static bool is_free(int c) { return !cpus[c].locked && !cpus[c].busy; }

static int some_cpu(void) {
  for (int i = 0; i < 20; i++) {
    int c = below(CPUS);
    if (is_online(c) && is_free(c)) return c;
  }
  return -1;
}

/* Prefers a task held by a thief. */
static struct fake *on_its_way(void) {
  for (int i = 0; i < TASKS; i++)
    if (tasks[i].alive && tasks[i].number && threads[tasks[i].number].flight != STILL &&
        !tasks[i].waking && !tasks[i].migrating && !tasks[i].exiting)
      return &tasks[i];
  return 0;
}

static struct fake *some_task(void) {
  struct fake *way = depth > 1 && below(4) ? on_its_way() : 0;
  if (way) return way;
  for (int i = 0; i < 20; i++) {
    struct fake *f = &tasks[below(TASKS)];
    if (f->alive && !f->waking && !f->migrating && !f->exiting && !f->rt) return f;
  }
  return 0;
}

static int allowed_cpu(struct fake *f, bool unlocked) {
  int from = below(CPUS);
  for (int i = 0; i < CPUS; i++) {
    int c = (from + i) % CPUS;
    if (is_online(c) && may(f, c) && (!unlocked || !cpus[c].locked)) return c;
  }
  return -1;
}

static bool arrives(int on, struct fake *f) {
  if (cpus[f->cpu].locked) return false;
  f->waking = f->migrating = false;
  cpus[f->cpu].locked = true;
  f->runnable = true;
  enqueue_task(on, f, 0, false);
  cpus[f->cpu].locked = false;
  if (!cpus[f->cpu].current) cpus[f->cpu].resched = true;
  return true;
}

static bool wakes(int on, struct fake *f, u64 flags) {
  if (f->runnable) return false;
  for (int c = 0; c < CPUS; c++)
    if (cpus[c].current == f) return false; /* the task is still being switched out */
  SAY("%d wakes %d", on, NAME(f));
  f->waking = true;
  s32 to = f->cpu;
  if (!f->pinned && (f->seen->bits[0] & (f->seen->bits[0] - 1)) && !bypass) {
    cpus[on].busy = true;
    CALL(on, to = select_cpu(&f->p, f->cpu, flags));
    cpus[on].busy = false;
    if (to < 0 || to >= CPUS) wrong("no such CPU");
  }
  if (!may(f, to) || !is_online(to)) to = allowed_cpu(f, false);
  f->cpu = to;
  arrives(on, f); /* now or later */
  return true;
}

static bool forks(int on) {
  struct scx_init_task_args args = {.fork = true};
  struct fake *f = 0;
  for (int i = 0; i < TASKS && !f; i++)
    if (!tasks[i].alive) f = &tasks[i];
  if (!f) return false;
  SAY("%d forks %d", on, NAME(f));
  f->p.flags = 0;
  f->p.scx.flags = 0;
  f->p.static_prio = 120;
  f->mask.bits[0] = ~0ULL;
  f->seen = &f->mask;
  f->p.cpus_ptr = f->seen;
  f->exiting = f->pinned = f->rt = f->runnable = false;
  f->holding = -1;
  f->ops = NONE;
  f->cpu = on;
  f->waking = true;
  f->alive = true;
  if (init_task(&f->p, &args)) wrong("init_task");
  CALL(on, enable(&f->p));
  return wakes(on, f, SCX_WAKE_FORK);
}

static bool blocks(int n) {
  struct cpu *c = &cpus[n];
  struct fake *f = c->current;
  if (!f || c->rt) return false;
  SAY("%d on %d %s", NAME(f), n, f->exiting ? "ends" : "blocks");
  c->busy = c->locked = true;
  dequeue_task(n, f, SCX_DEQ_SLEEP, true);
  f->runnable = false;
  c->resched = false;
  c->rounds = c->buffered = 0;
  if (f->exiting) f->waking = true; /* keeps other operations away from the task */
  goes_on_picking(n, false);
  if (f->exiting && cpus[n].suspended) return true; /* the exit follows later */
  if (f->exiting) {
    CALL(n, exit_task(&f->p, 0));
    f->alive = false;
    f->waking = false;
  }
  return true;
}

/* A task must leave its CPU, whose lock is not held. */
static void moves_away(int on, struct fake *f) {
  int from = f->cpu;
  if (cpus[from].current == f) {
    f->pending = true;
    cpus[from].busy = cpus[from].locked = true;
    put_prev(from, f, false);
    cpus[from].current = 0;
    CALL(from, cpu_release(from, 0));
    cpus[from].resched = true;
    f->pending = false;
    cpus[from].busy = false;
  }
  cpus[from].locked = true;
  dequeue_task(on, f, 0, false);
  cpus[from].locked = false;
  int to = allowed_cpu(f, true);
  f->migrating = true;
  f->cpu = to < 0 ? allowed_cpu(f, false) : to;
  if (to >= 0) arrives(on, f);
}

static void replaced(int on, struct fake *f) {
  cpus[f->cpu].locked = false;
  f->misplaced = f->waking = false;
  moves_away(on, f);
}

static bool affinity(int on, struct fake *f) {
  if (f->pinned) return false;
  if (f->runnable && !is_free(f->cpu)) return false;
  u64 bits = below(2) ? below(1 << CPUS) : 1ULL << below(CPUS);
  bits |= (u64)below(2) << 40;
  if (!(bits & online.bits[0])) return false;
  SAY("%d sets the affinity of %d: %llx", on, NAME(f), bits);
  bool was = f->runnable;
  if (was) cpus[f->cpu].locked = true;
  f->waking = true;
  CHANGE(on, f, f->mask.bits[0] = bits; CALL(on, set_cpumask(&f->p, &f->mask)));
  if (was && !(bits >> f->cpu & 1) && cpus[f->cpu].current != f) {
    f->misplaced = true; /* under the lock of its CPU */
    return true;
  }
  if (was) cpus[f->cpu].locked = false;
  f->waking = false;
  if (was && !(bits >> f->cpu & 1)) moves_away(on, f);
  return true;
}

static bool renices(int on, struct fake *f) {
  if (f->runnable && !is_free(f->cpu)) return false;
  SAY("%d renices %d", on, NAME(f));
  bool was = f->runnable;
  if (was) cpus[f->cpu].locked = true;
  f->waking = true;
  CHANGE(on, f, f->p.static_prio = 100 + below(40); f->p.scx.weight = 1 + below(1000));
  if (was) cpus[f->cpu].locked = false;
  f->waking = false;
  return true;
}

/* The task moves to another class, and back. */
static bool reclasses(int on, struct fake *f) {
  if (!f->runnable || f->pinned || !is_free(f->cpu) || cpus[f->cpu].current == f)
    return false;
  SAY("%d reclasses %d", on, NAME(f));
  int c = f->cpu;
  cpus[c].locked = true;
  f->waking = true;
  dequeue_task(on, f, 0, true);
  f->p.scx.flags = 0;
  CALL(on, enable(&f->p));
  enqueue_task(on, f, 0, false);
  f->waking = false;
  cpus[c].locked = false;
  if (!cpus[c].current) cpus[c].resched = true;
  return true;
}

static bool pins(int n) {
  struct fake *f = cpus[n].current;
  if (!f || f->exiting || cpus[n].rt) return false;
  SAY("%d on %d may not migrate: %d", NAME(f), n, !f->pinned);
  f->pinned = !f->pinned;
  if (!f->pinned && f->seen != &f->mask) {
    cpus[n].locked = true;
    cpus[n].busy = true;
    CHANGE(n, f, f->seen = &f->mask; f->p.cpus_ptr = f->seen;
           CALL(n, set_cpumask(&f->p, f->seen)));
    cpus[n].locked = false;
    cpus[n].busy = false;
    if (!may(f, n)) wrong("the test: a pinned task is elsewhere");
  }
  return true;
}

static bool balances(int n) {
  u32 key = 0;
  SAY("%d balances", n);
  CALL(n, balance(&alarms, &key, &the_alarm));
  return true;
}

static void bypasses(bool on) {
  SAY("bypass %d", on);
  bypass = on;
  for (int i = 0; i < TASKS; i++) {
    struct fake *f = &tasks[i];
    if (!f->alive || !f->runnable) continue;
    cpus[f->cpu].locked = true;
    f->waking = true;
    CHANGE(f->cpu, f, (void)0);
    f->waking = false;
    cpus[f->cpu].locked = false;
  }
  for (int c = 0; c < CPUS; c++)
    if (is_online(c)) {
      cpus[c].resched = true;
      if (cpus[c].current) cpus[c].current->p.scx.slice = 0;
    }
}
