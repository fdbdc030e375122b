(** The watch that the companion of a run's caller keeps. While the caller,
    worker 0, sleeps, the companion watches for signals and for deadlocks. At
    all times the companion watches for failures that no fiber has awaited for a
    second ({!Unhandled}). Internal.

    A signal that comes while all threads of a program sleep wakes none of them:
    the system interrupts a thread, and OCaml runs the handler when that thread
    next runs OCaml code. The companion therefore looks every 50 ms, if the
    program has a handler, and wakes worker 0. Every half second the companion
    looks for a deadlock ({!Deadlock}). When the deadlock looks are over, a
    program without handlers gets no more looks.

    A caller that goes to sleep pays a store in an atomic, if its companion
    looks already. *)

val companion : Types.local -> Companion.t
(** Makes the companion of a caller: of the calling thread, whose record is
    given. *)
