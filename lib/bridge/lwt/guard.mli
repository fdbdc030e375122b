(** Mistakes between Lwt and Dromos, told to those that make them. Internal.

    Lwt does not look which thread calls it: a timer, or a wait for a
    descriptor, that a Dromos task registers corrupts the loop's tables, or is
    not noticed before something else wakes the loop. All of these go through
    Lwt's engine, so an engine stands in front of the program's that asks
    [check] first. [Lwt.pause] has one notifier, which asks too. Other mistakes
    are out of sight: a promise that is resolved elsewhere ([Lwt.wakeup]) runs
    its callbacks there, and is found out when one of these comes here, calls
    Dromos_lwt, or resolves the promise of {!Loop.run}.

    A wait of Dromos in Lwt code, outside of a fiber, blocks Lwt's thread. One
    that does for a second is told on stderr, with its callstack: what it waits
    for may well come from elsewhere, so it goes on. *)

val install : check:(string -> unit) -> is_here:(unit -> bool) -> unit
(** On Lwt's thread. Engines that the program installs later ([Lwt_engine.set])
    are guarded at the next call. Timers and descriptors that are registered
    already stay where they are. [check what] raises if the calling thread may
    not call [what]; [is_here ()] tells whether it is Lwt's, and Lwt runs. *)
