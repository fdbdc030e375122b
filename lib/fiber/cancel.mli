(** The one notion of cancellation: a tree of nodes, each closed once.

    A {!Scope}, a published branch and a run own a node each. Cancelling a node
    cancels what hangs below it: child nodes, and suspended fibers, which are
    woken with {!Cancelled} at once. Running fibers notice at their next
    cancellation point; while any node of a run is cancelled and not over, the
    run's signal is up, so that forks look.

    Lock-free; all functions from anywhere, unless said otherwise. *)

exception Cancelled

type t = Fiber.cancel

val root : unit -> t
(** A node below no other. *)

val attach : t -> below:t -> exn Dromos_sync.Once.listener
(** [attach node ~below:parent]: [node] is cancelled with [parent], at once if
    that already is. The result is its place in the parent, to be left
    ({!Dromos_sync.Once.leave}) when it is over. *)

val is_cancelled : t -> bool

val cancel : t -> unit
(** Idempotent. Runs the wake-ups of everything below before it returns. *)

val check : Fiber.t -> unit
(** A cancellation point of the running fiber: raises {!Cancelled} if its node
    is cancelled and it is not shielded, nor by a {!Guest}. *)

val pending : Fiber.t -> bool
(** Whether {!check} would raise. *)

val told : Fiber.t -> exn -> exn
(** What the fiber's code has raised; {!Cancelled} if the fiber's node is
    cancelled and the exception is how a {!Guest}'s code leaves then. *)

val inside :
  ?fls:Hmap.t ->
  Fiber.t ->
  scope:Fiber.scope ->
  cancel:Fiber.cancel ->
  shield:int ->
  (unit -> 'a) ->
  'a
(** Runs a function with the fiber's surroundings changed, and puts them back
    (its storage only if [fls] is given). Frames linked before keep the old
    ones: branches published meanwhile hang below the nodes they were forked
    under. *)

val shielded : Fiber.t -> (unit -> 'a) -> 'a
(** {!inside} with cancellation put off, nothing else changed. *)
