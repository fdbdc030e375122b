(** What the companion of a run's caller does while the caller, worker 0,
    sleeps: it sees to signals, and to deadlocks; and, whatever the caller does,
    to failures that nobody has awaited for a second ({!Unhandled}). Internal.

    A signal that comes while all threads of a program sleep wakes none of them:
    the system interrupts one, and OCaml runs the handler when that thread next
    runs OCaml code. The companion looks every 50 ms and wakes worker 0, if the
    program has a handler; and every half second for a deadlock ({!Deadlock}). A
    program without handlers, after that, is not looked at any more.

    A caller that goes to sleep pays one store in an atomic, if its companion
    looks already. *)

val companion : Fiber.local -> Companion.t
(** A companion for a caller: the calling thread, whose record this is. *)
