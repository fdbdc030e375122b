(** Preemption by time: fibers that compute do not starve the others.

    While it is on, a fiber that has run for a whole quantum without leaving its
    vproc is taken off it, and the current action is given [Preempt].

    {b How.} [Forced]: at the next poll point of OCaml code (every loop
    iteration, tail call to a function itself, and allocation has one) the
    thread stops with the fiber on its stack, and another systhread of the same
    domain acts for the vproc; no cooperation of the fiber is needed. [Polled]:
    at the fiber's next fork, [Dromos.check], parallel-loop piece or wait only.

    {b What is not preempted}: C code, until it is back in OCaml; a recursive
    function that neither allocates, loops nor calls itself in tail position
    (naive Fibonacci), until it is back in code that does; sections under
    {!mask}; the scheduler itself, the action code of schedulers and their
    [ready]; a fiber of a vproc that already has {!most} preempted ones, or
    where the system has no thread left. The latter is reported at once
    ({!Dromos_service.Reporter}), and counted.

    {b What to know.} A fiber that was preempted by force is bound to its
    thread's domain until it next waits or yields ({!Dromos_sched.home}):
    [Vproc.migrate_to] takes effect then, and a cancellation is noticed at its
    next cancellation point ({!interruptible} is for code that has none). Do not
    hold a Stdlib [Mutex] that other fibers of the same vproc want: they would
    block the thread that is to resume the holder. Use [Dromos.Mutex], or
    {!mask}. The same goes for libraries with such locks inside; Stdlib's
    channels are fine.

    {b Stdlib's own state.} Module by module (cases in test/sched/preempt):
    - [Format], [Scanf], [Lazy], [Filename], [Arg], [Parsing],
      [Random.self_init], [Hashtbl]: a fiber is not preempted by force inside of
      them, nor in a function that they have called, since another fiber of the
      domain may share their state; a fiber that stays there is preempted after
      some 400 attempts (a second at the default quantum). These modules are
      found by the names in the program's debugging information and symbols: a
      stripped program does without.
    - [Random]'s generator, channels, [Printexc]'s backtraces: safe as they are;
      fibers of one domain draw from one sequence.
    - [Str]: a match is kept for the domain, from one call to the next
      ([string_match], then [matched_group]): {!mask} both together.
    - [Mutex], [Condition], [Dynlink], and whatever takes a lock: above.
    - A library with a global, or with [Domain.DLS], of its own: as [Str]. A
      fiber's own state is in [Dromos.Fls].

    {b Cost.} A forced preemption and the resumption are some tens of
    microseconds (two switches between systhreads); the clock wakes once a
    quantum. Without any [run] of this module nothing is paid. See
    [bench/main.exe --only preempt].

    Source of the idea: Manticore, section 2.3, where the continuation is
    captured at a heap-limit check; stock OCaml cannot capture one there, hence
    the threads. *)

type mode = Forced | Polled

val default_quantum : float
(** 0.01 s *)

val run : ?quantum:float -> ?mode:mode -> (unit -> 'a) -> 'a
(** [run f] is [f ()] with the vprocs of the run preempted meanwhile, [Forced]
    by default. Raises [Invalid_argument] unless [quantum] is from 0.0005 to 1
    s, {!Dromos_fiber.Misplaced} outside a run. Several at once: the shortest
    quantum counts, of [Forced] ones if there are any. *)

val mask : (unit -> 'a) -> 'a
(** [mask f] is [f ()], in which the calling fiber is not preempted. Nests. A
    fiber may still wait and yield in it. Outside fibers it is [f ()]. Some
    nanoseconds. *)

val interruptible : (unit -> 'a) -> 'a
(** [interruptible f] is [f ()], in which a cancellation of the calling fiber is
    raised at the end of a quantum (or when the preempted fiber goes on)
    wherever it stands then, as from a signal handler: for code that has no
    cancellation point, and that may be left at any place. {!mask} and
    [Dromos.protect] still hold. *)

val most : unit -> int
(** Most fibers of one vproc that may be preempted by force at a time: 10,000,
    or [DROMOS_PREEMPTED]. Each keeps a systhread, about 20 KB. At the bound the
    fibers that compute are preempted at their next fork, check or wait only, so
    that endless computations may hold up all others: a report says so, once for
    each bound, and {!val-counts} counts. *)

val set_most : int -> unit
(** From anywhere, at any time. Raises [Invalid_argument] if it is negative. *)

type counts = {
  preemptions : int;  (** by force, so far *)
  refused : int;  (** quanta that were over without one: see {!most} *)
  parked : int;  (** fibers that are preempted now *)
  threads : int;  (** systhreads that were made for it and live *)
}

val counts : unit -> counts
(** Of the current run; a snapshot. *)
