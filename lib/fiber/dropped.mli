(** Fibers that a scheduler has lost: their handle has been collected while the
    scheduler had it. Internal; for {!Scope}.

    Such a fiber never ends, and its scope waits for it for ever. {!Deadlock}
    tells so once nothing else moves; this module at the collection in which the
    fiber goes, which says that nothing leads to the fiber any more.

    {b Cost}: a finaliser for each fiber that is watched. The finaliser neither
    keeps the fiber, nor has the fiber promoted. *)

val watch : Fiber.t -> unit
(** The fiber was just made, with [hands] of its own, and is to be given to a
    scheduler. A message on stderr, once for each scheduler, if the fiber is
    collected while {!Waiting} has it in a scheduler's hands. *)
