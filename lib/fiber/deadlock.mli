(** Runs in which nothing moves any more. Internal; for people the behaviour is
    described at [Dromos.run].

    {b Who looks, and what it costs.} Nobody, while work runs. When worker 0 of
    a run, its caller, goes to sleep, its companion looks every half second
    until the worker works again ({!Watcher}). So looking needs no timer and no
    domain, and stops by itself; what a program pays that sleeps and wakes
    thousands of times a second is that store. (A caller that has no companion
    yet, in a run of one worker, gets one at its first sleep: a systhread of its
    domain.)

    {b What is found.} A run is quiet if no worker of any active run runs a
    fiber, no task was started by any for a second, no timer, no blocking call
    and no wait for a descriptor is pending, and nobody has announced a wake-up
    from outside ({!Dromos_suspend.External}). If fibers wait in such a run, and
    nobody could wake them, they are dumped to stderr and the run fails. If
    somebody could, they are dumped, once per run, unless the process has a
    thread of the program's own ({!Dromos_service.Own_threads}) or a signal
    handler, whose work this may be; that is looked at again every eight
    seconds.

    {b Whether anybody could wake them} is then asked of the garbage collector,
    as Saioc et al. do for Go ("Dynamic partial deadlock detection and recovery
    via garbage collection", ASPLOS 2025): a fiber can be resumed by whoever
    reaches its resumer or a scope around it. The runtime's own way to these is
    taken out (the run's root scope, the vprocs' queues for which schedulers
    wait; everything else of ours is weak), the waiting fibers and the root get
    finalisers, and after a full major collection those whose finaliser was
    called were reachable from no global, no stack of any thread or domain, no
    fiber that can run, no C root. Finalisers, rather than weak pointers, since
    they give back what was found: if {e all} waiting fibers of the run are
    unreachable, they are cancelled, so that their clean-up code runs, and [run]
    raises {!exception-Deadlock}. If only some are, nothing is done: the others
    may still have work to do.

    That is sound: no fiber that anybody could wake, in OCaml or from C, is
    found unreachable, but for a signal handler that raises, which would have
    cancelled the run. It is not complete: a promise in a global variable, or in
    a variable of the caller that is read after the run, keeps its waiters
    reachable, and so does a value that the compiler happens to keep on a stack.

    Tested: test/deadlock, in processes of their own. *)

exception Deadlock of string

val watched : unit -> Fiber.watched
(** For a new run. Raises [Invalid_argument] if [DROMOS_DEADLOCK] is none of
    what is documented. *)

val every : float
(** Seconds between two looks. *)

val look : Fiber.local -> bool
(** A look at the run whose worker 0 the thread of this record is; whether to
    look again if it still sleeps then. By its companion. *)
