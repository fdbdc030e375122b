(** Effects of the program's own that a branch performs and the handler of which
    stands around the fork. Internal; see "Effects" in [Dromos].

    The branch may run as a fiber of its own, on a stack that the handler knows
    nothing of. So it waits, and the forking fiber performs the effect in its
    place when it comes to join: there the same handlers are in force as at the
    fork, and all that stands to the left of the branch is over, so handlers see
    effects in the order of the sequential program. A fiber that is a branch
    itself, and has no handler, asks in turn. *)

val block : Fiber.t -> 'a Effect.t -> 'a Dromos_suspend.resumer -> 'a option
(** For a suspension of the fiber, a branch: asks for the effect. *)

val stack : unit -> int
(** The stack that the caller runs on; it keeps its number when it grows, and
    moves. *)

val under_handler : Fiber.t -> bool
(** Whether the fiber, which calls, runs under a handler inside of it. Some
    nanoseconds. *)
