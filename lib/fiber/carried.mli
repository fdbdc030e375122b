(** Effects of the program's own that a branch performs, with a handler around
    the fork. Owner of [asks] and [base] of a fiber. Internal; see "Effects" in
    [Dromos].

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

val is_branch : Fiber.t -> bool
(** [true]: the fiber is a branch, and has a forking fiber to ask. *)

val asks_by : Fiber.t -> ((unit -> unit) -> unit) -> unit
(** The fiber is a branch whose forking fiber takes requests by this function
    ({!Join.ask}), or runs such a task in place; {!Nobody.no_fork}: no branch.
*)

val stack : unit -> int
(** The number of the caller's stack; the number stays when the stack grows and
    moves. *)

val own_stack : Fiber.t -> unit
(** The calling fiber's code begins, on the fiber's own stack. *)

val under_handler : Fiber.t -> bool
(** [true]: the calling fiber runs under a handler of its own code. Some
    nanoseconds. *)
