(** Calls of Lwt's own functions on other threads than Lwt's, told to those that
    make them. Internal.

    Lwt does not look: a timer, or a wait for a descriptor, that a Dromos task
    registers corrupts the loop's tables, or is not noticed before something
    else wakes the loop. All of these go through Lwt's engine, so an engine
    stands in front of the program's that asks [check] first. [Lwt.pause] has
    one notifier, which asks too. Other mistakes are out of sight: a promise
    that is resolved elsewhere ([Lwt.wakeup]) runs its callbacks there, and is
    found out when one of these comes here, or calls Dromos_lwt. *)

val install : check:(string -> unit) -> unit
(** On Lwt's thread. Engines that the program installs later ([Lwt_engine.set])
    are guarded at the next call. Timers and descriptors that are registered
    already stay where they are. [check what] raises if the calling thread may
    not call [what]. *)
