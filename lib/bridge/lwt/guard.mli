(** Mistakes between Lwt and Dromos, told to the code that makes them. Internal.

    Lwt does not check the calling thread: a timer, or a wait for a descriptor,
    that a Dromos task registers corrupts the loop's tables, or goes unnoticed
    until some other event wakes the loop. Lwt registers all of these with its
    engine, so the guard puts an engine in front of the program's engine, and
    the new engine calls [check] first. [Lwt.pause] has one notifier, and the
    guard sets it. Some mistakes are out of sight: a promise resolved on another
    thread ([Lwt.wakeup]) runs its callbacks on that thread. Such a mistake is
    found only when a callback registers with the engine, calls Dromos_lwt, or
    resolves the promise of {!Loop.run}.

    A wait of Dromos in Lwt code, outside of a fiber, blocks Lwt's thread. After
    a second the guard reports it, with the callstack, and the wait goes on:
    another domain may be about to end it. *)

val install : check:(string -> unit) -> is_here:(unit -> bool) -> unit
(** Called on Lwt's thread, at the beginning of each loop: an engine that the
    program sets later ([Lwt_engine.set]) is guarded at the next call. Timers
    and descriptors that are already registered stay in their engine.
    [check what] raises if the calling thread must not call [what]; [is_here ()]
    is true on Lwt's thread while Lwt runs. *)
