(** The program's threads that wait outside of any run, woken for signals.
    Internal.

    A thread parked on a condition variable runs no signal handler (Control-C
    under [Sys.catch_break], an alarm) before another thread wakes the parked
    thread. While the program has handlers, a helper thread looks every 50 ms
    whether a signal came, and wakes the parked threads. The handler then runs
    in one of these threads, and an exception of the handler ends the thread's
    wait. The helper is a systhread of the domain that waited first, and ends
    after a second without a parked thread. *)

val during : poke:(unit -> unit) -> (unit -> 'a) -> 'a
(** [during ~poke wait] is [wait ()]; whenever a signal comes meanwhile, the
    helper calls [poke], which must not block. If the program has no handler,
    [during] only calls [wait]. *)
