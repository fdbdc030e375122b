(** Cancellation: a tree of nodes; cancelling a node closes the node, once.

    A {!Scope}, a published branch and a run own a node each. Cancelling a node
    cancels everything below the node: child nodes, and suspended fibers, which
    wake at once with {!Cancelled}. Running fibers notice at their next
    cancellation point. While a node of the run is cancelled and its owner is
    not over, the run's signal is raised, so that forks look.

    Lock-free. Any thread may call the functions, unless a comment says
    otherwise. *)

exception Cancelled

type t = Types.node

val root : unit -> t
(** A node without a parent. *)

val attach : t -> below:t -> exn Dromos_sync.Author.Once.listener
(** [attach node ~below:parent] cancels [node] together with [parent], or at
    once if [parent] is already cancelled. The result is the place of [node] in
    [parent]; the caller leaves the place ({!Dromos_sync.Author.Once.leave})
    when [node] is over. *)

val is_cancelled : t -> bool

val cancel : t -> unit
(** Idempotent. Wakes everything below the node before [cancel] returns. *)

val check : Fiber.t -> unit
(** A cancellation point of the running fiber: raises {!Cancelled} if the
    fiber's node is cancelled, unless the fiber or a {!Guest} of the fiber puts
    cancellation off. *)

val pending : Fiber.t -> bool
(** [true] if {!check} would raise. *)

val told : Fiber.t -> exn -> exn
(** [told fiber e] is {!Cancelled} if the fiber's node is cancelled and [e] is
    the exception by which the code of a {!Guest} leaves when cancelled.
    Otherwise [told] is [e], which the fiber's code has raised. *)
