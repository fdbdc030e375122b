(** Threads of the program that wait outside of any run, woken for signals.
    Internal.

    A thread parked on a condition variable runs no signal handler (Control-C
    under [Sys.catch_break], an alarm) before another thread wakes it. While the
    program has handlers, a helper thread looks every 50 ms whether a signal
    came, and wakes the parked threads: the handler then runs in one of them,
    and an exception of the handler ends that thread's wait. The helper is a
    systhread of the domain that waited first, and ends after a second without a
    parked thread. *)

val during : poke:(unit -> unit) -> (unit -> 'a) -> 'a
(** [during ~poke wait] is [wait ()], with [poke] called on the helper whenever
    a signal came meanwhile. [poke] must not block. If the program has no
    handler it is just [wait ()]. *)
