(** Deadlocks: runs in which nothing moves any more. Internal; [Dromos.run]
    describes the behaviour for users.

    {b The look, and its cost.} No thread looks while worker 0 of a run, its
    caller, works. When worker 0 goes to sleep, its companion looks every half
    second until the worker works again ({!Watcher}). Looking thus needs no
    timer and no domain, and stops by itself. A program that sleeps and wakes
    thousands of times a second pays a store each time. (In a run with one
    worker the caller gets its companion, a systhread of its domain, at its
    first sleep.)

    {b Quiet and calm.} A run is quiet if all its fibers wait, and none of its
    workers has run a fiber or a task for a second (for three seconds if the
    rest of the process is not calm). After ten seconds runnable fibers count as
    waiting too: their scheduler may have lost them. The process is calm if

    - no run has moved for a second,
    - no blocking call and no wait for a descriptor is pending,
    - no timers other than time limits are pending, and
    - no code has announced a wake-up from outside ({!Dromos_suspend.External}).

    {b The question.} For a quiet run, the companion asks the garbage collector
    ({!Unreachable}) whether the program can still wake the run's fibers. The
    question concerns this run alone: pending work for other runs does not
    matter. A question takes one to three full collections. A question in vain
    doubles the wait for the next question about the run, and all questions of
    the process after the first eight take a hundredth of its time. The answers:

    - No value leads to the fibers: the fibers are reported and cancelled, so
      that their clean-up code runs, and [run] raises {!exception-Deadlock}.
    - Only time limits lead to the fibers (a [timeout] of an hour around a
      deadlock): the fibers are reported, if the next limit is at least ten
      seconds away.
    - Some value leads to the fibers, and the process is calm: the fibers are
      reported, unless the last report had all their waits already. The report
      is also left out if the process has a thread of the program's own
      ({!Dromos_service.Own_threads}) or a signal handler, since either may wake
      the fibers.

    With [DROMOS_DEADLOCK=raise] a run that is quiet in a calm process is
    cancelled without a question.

    The first answer is sound: a fiber that OCaml or C code could wake, also
    through weak pointers or finalisers, is never found unreachable. The
    exception is a signal handler that raises, which would have cancelled the
    run. The answer is not complete: a promise in a global variable, or in a
    variable that the caller reads after the run, keeps its waiters reachable,
    and a value that the compiler happens to keep on a stack does too.

    {!Dromos_sync.Author.Wait_graph} finds cycles of locks with owners, and
    finds them at once.

    Tested: test/deadlock, in processes of their own. *)

exception Deadlock of string

val quiet : unit -> Quiet.t
(** The state of a new run. Raises [Invalid_argument] if [DROMOS_DEADLOCK] has
    an undocumented value. *)

val every : float
(** The time between two looks, in seconds. *)

val look : Types.local -> bool
(** Looks at the run whose worker 0 is the thread of this record. [true]: look
    again if the worker still sleeps then. Called by the thread's companion. A
    single thread looks at a time; a second thread skips its look. *)
