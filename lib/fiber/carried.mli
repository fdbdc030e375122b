(** Effects of the program's own that a branch performs, with a handler around
    the fork. Internal; see "Effects" in [Dromos].

    The branch may run as a fiber of its own, on a stack that the handler does
    not see. The branch therefore waits, and the forking fiber performs the
    effect in the branch's place when the fiber comes to join. The handlers in
    force at the join are those at the fork, and all branches to the left are
    over, so handlers see effects in the order of the sequential program. A
    forking fiber without a handler, which is a branch itself, asks its own
    forking fiber in turn. *)

val block : Fiber.t -> 'a Effect.t -> 'a Dromos_suspend.resumer -> 'a option
(** Asks the forking fiber for the effect; the body of a suspension of the
    fiber, a branch. *)

val stack : unit -> int
(** The number of the caller's stack; the number stays when the stack grows and
    moves. *)

val under_handler : Fiber.t -> bool
(** [true]: the calling fiber runs under a handler of its own code. Some
    nanoseconds. *)
