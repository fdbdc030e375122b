(** Preemption by time: a fiber that computes does not starve other fibers.

    While preemption is on, a fiber that has run for a whole quantum without
    leaving its vproc is taken off the vproc, and the current action gets
    [Preempt].

    {b How.} [Forced]: at the next poll point of OCaml code (each loop
    iteration, tail call of a function to itself, and allocation has a poll
    point) the thread stops with the fiber on its stack, and another systhread
    of the same domain acts for the vproc; the fiber need not cooperate.
    [Polled]: only at the fiber's next fork, [Dromos.check], parallel-loop piece
    or wait.

    {b What is not preempted}: C code, until its return to OCaml; a recursive
    function that neither allocates, loops nor calls itself in tail position
    (naive Fibonacci), until its return to code with poll points; sections under
    {!mask}; the scheduler itself, the action code of schedulers and their
    [ready]; a fiber of a vproc that already has {!most} preempted fibers, or
    where the system has no thread left. The last two cases are reported at once
    ({!Dromos_service.Reporter}), and counted.

    {b What to know.} A fiber that was preempted by force is bound to its
    thread's domain until it next waits or yields ({!Dromos_sched.home}):
    [Vproc.migrate_to] takes effect then, and the fiber notices a cancellation
    at its next cancellation point ({!interruptible} is for code without
    cancellation points). Do not hold a Stdlib [Mutex] that fibers of the same
    vproc want: such a fiber would block the thread that is to resume the
    holder. Use [Dromos.Mutex], or {!mask}. The same goes for libraries with
    Stdlib locks inside; Stdlib's channels are fine.

    {b Stdlib's own state.} Module by module (cases in test/sched/preempt):
    - [Format], [Scanf], [Lazy], [Filename], [Arg], [Parsing],
      [Random.self_init], [Hashtbl]: a fiber inside these modules, or inside a
      function called by them, is not preempted by force, since another fiber of
      the domain may share their state. A fiber that stays there is preempted
      after some 400 attempts (a second at the default quantum). The debugging
      information and symbols of the program tell where these modules are: a
      stripped program has no such protection.
    - [Random]'s generator, channels, [Printexc]'s backtraces: safe as they are;
      fibers of one domain draw from one sequence.
    - [Str]: a match is kept for the domain, from one call to the next
      ([string_match], then [matched_group]): put both calls under {!mask}.
    - [Mutex], [Condition], [Dynlink], and any function that takes a lock: see
      above.
    - A library with a global, or with [Domain.DLS], of its own: as [Str]. Keep
      a fiber's own state in [Dromos.Fls].

    {b Cost.} A forced preemption and the resumption are some tens of
    microseconds (two switches between systhreads); the clock wakes four times a
    quantum. Preemption costs nothing outside {!run}. See
    [bench/main.exe --only preempt].

    Source of the idea: Manticore, section 2.3, where the continuation is
    captured at a heap-limit check. Stock OCaml cannot capture a continuation
    there; the threads are the replacement. *)

type mode = Forced | Polled

val default_quantum : float
(** 0.01 s *)

val run : ?quantum:float -> ?mode:mode -> (unit -> 'a) -> 'a
(** [run f] is [f ()] while the vprocs of the run are preempted, [Forced] by
    default. Raises [Invalid_argument] unless [quantum] is from 0.0005 to 1 s,
    {!Dromos_fiber.Misplaced} outside a run. With several calls at once, the
    shortest quantum counts, of the [Forced] calls if there are any. *)

val mask : (unit -> 'a) -> 'a
(** [mask f] is [f ()], during which the calling fiber is not preempted. Nests.
    The fiber may still wait and yield. Outside fibers, [mask f] is [f ()].
    Takes some nanoseconds. *)

val interruptible : (unit -> 'a) -> 'a
(** [interruptible f] is [f ()]. At the end of a quantum (or when the preempted
    fiber goes on), a cancellation of the calling fiber is raised wherever the
    fiber stands, as from a signal handler. For code that has no cancellation
    point and may be left at any place. {!mask} and [Dromos.protect] still hold.
*)

val most : unit -> int
(** The limit of fibers of one vproc that are preempted by force at a time:
    10,000, or [DROMOS_PREEMPTED]. Each of these fibers keeps a systhread, about
    20 KB. At the limit, computing fibers are preempted only at their next fork,
    check or wait, so endless computations may delay all other fibers; a report
    says so, once for each limit, and {!val-counts} counts. *)

val set_most : int -> unit
(** Sets the limit. From anywhere, at any time. Raises [Invalid_argument] for a
    negative number. *)

type counts = {
  preemptions : int;  (** by force, so far *)
  refused : int;  (** quanta that ended without a preemption: see {!most} *)
  parked : int;  (** fibers that are preempted now *)
  threads : int;  (** living systhreads made for preemption *)
}

val counts : unit -> counts
(** The counts of the current run; a snapshot. *)
