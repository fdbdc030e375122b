(** Runs in which nothing moves any more. Internal; for people the behaviour is
    described at [Dromos.run].

    {b The look, and its cost.} Nothing looks while worker 0 of a run, its
    caller, works. When that worker goes to sleep, its companion looks every
    half second until the worker works again ({!Watcher}). So looking needs no
    timer and no domain, and stops by itself; a program that sleeps and wakes
    thousands of times a second pays a store each time. (A caller that has no
    companion yet, in a run of one worker, gets one at its first sleep: a
    systhread of its domain.)

    {b Quiet.} A run is quiet if none of its workers has run a fiber, nor
    executed a task, for a second, and all its fibers wait; for three seconds if
    the rest of the process is not calm. The process is calm if no run has moved
    for a second, no blocking call and no wait for a descriptor is pending, no
    timer but time limits, and nobody has announced a wake-up from outside
    ({!Dromos_suspend.External}).

    {b Whether anybody could wake the fibers} of a quiet run is asked of the
    garbage collector ({!Unreachable}), for this run alone: what is pending for
    others does not matter. Each question is one to three full collections; one
    in vain makes the next one about the run wait twice as long, and all
    questions of the process but the first eight take a hundredth of its time.
    The answers:

    - nothing leads to the fibers: they are reported and cancelled, so that
      their clean-up code runs, and [run] raises {!exception-Deadlock};
    - only time limits lead to them (a [timeout] of an hour around a deadlock):
      the fibers are dumped, if the next limit is ten seconds away at least;
    - something leads to them, and the process is calm: they are dumped, each
      wait once, unless the process has a thread of the program's own
      ({!Dromos_service.Own_threads}) or a signal handler, whose work this may
      be.

    With [DROMOS_DEADLOCK=raise] a run that is quiet in a calm process is
    cancelled without a question.

    The first answer is sound: no fiber that anybody could wake, in OCaml or
    from C, through weak pointers or finalisers, is found unreachable, but for a
    signal handler that raises, which would have cancelled the run. It is not
    complete: a promise in a global variable, or in a variable of the caller
    that is read after the run, keeps its waiters reachable, and so does a value
    that the compiler happens to keep on a stack.

    Cycles of locks with owners are found elsewhere, and at once:
    {!Dromos_sync.Wait_graph}.

    Tested: test/deadlock, in processes of their own. *)

exception Deadlock of string

val watched : unit -> Fiber.watched
(** For a new run. Raises [Invalid_argument] if [DROMOS_DEADLOCK] is none of
    what is documented. *)

val every : float
(** Seconds between two looks. *)

val look : Fiber.local -> bool
(** A look at the run whose worker 0 the thread of this record is; whether to
    look again if it still sleeps then. By its companion. One thread looks at a
    time; another one leaves its look out. *)
