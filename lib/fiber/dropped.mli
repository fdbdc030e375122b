(** Fibers that a scheduler has lost: their handle has been collected while the
    scheduler had it. Internal; for {!Run} and {!Watcher}.

    Such a fiber never ends, and its scope waits for it for ever. {!Deadlock}
    tells so once nothing else moves; this module while the rest of the run goes
    on, when the worker's {!Registry} finds that the fiber is gone: at its next
    entry but for some, or in a look of the companion, every half second while
    the caller of the run sleeps.

    {b Cost}: a word for each fiber that has waited. *)

val tell : Fiber.run -> Fiber.hands -> unit
(** That fiber is gone. A report if a scheduler had the fiber: once for each
    scheduler. From any thread. *)

val look : Fiber.run -> unit
(** By one thread at a time. *)
