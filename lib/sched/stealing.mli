(** Work stealing, with a parallel binding: the Cilk-like scheduler of the paper
    (Manticore, sections 5 and 6).

    {[
      # open Dromos.Sched;;
      # type tree = Leaf | Node of int * tree * tree;;
      type tree = Leaf | Node of int * tree * tree
      # let rec tree_add = function
          | Leaf -> 0
          | Node (n, l, r) ->
              Stealing.pval
                (fun () -> tree_add l)
                (fun left -> let right = tree_add r in left () + right + n);;
      val tree_add : tree -> int = <fun>
      # let rec tree n = if n = 0 then Leaf else Node (n, tree (n - 1), tree (n - 1))
        in
        Dromos.run (fun () -> Stealing.run (fun () -> tree_add (tree 8)));;
      - : int = 502
    ]}

    Each vproc has a deque, whose newest fiber it runs; when that is empty it
    takes what has come back from elsewhere, then steals the oldest of a vproc
    chosen at random, having given its own to the action below before each
    attempt; and when there is nothing for a while it waits, without a cost,
    until there is. A fiber that yields may be continued by any vproc; but those
    that are tied to one (instances of schedulers inside, fibers preempted by
    force) wait for their turn there.

    Sources: Manticore, section 5; Cilk-5 (Frigo, Leiserson, Randall, PLDI
    1998). *)

val run :
  ?vprocs:Vproc.t list ->
  ?under:(Vproc.t -> Core.fiber -> unit) ->
  (unit -> 'a) ->
  'a
(** Runs a function as a fiber of a new scheduler on those vprocs, by default
    all. Returns when all that it has spawned are over. [under]: see
    {!Attached.run}. The scheduler below has a turn whenever a fiber yields or
    is preempted, and before each attempt to steal. *)

val spawn : ?name:string -> (unit -> unit) -> unit
(** A fiber of the innermost such scheduler around the caller, in the caller's
    scope. Raises [Invalid_argument] outside {!run}. *)

val push : Core.fiber -> unit
(** Onto the host's deque ([wsPush] in the paper). Raises [Invalid_argument]
    outside {!run}. *)

val give : Vproc.t -> Core.fiber -> unit
(** To be run on that vproc and nowhere else, if an instance is there; for the
    [~under] of a scheduler inside. Raises [Invalid_argument] outside {!run}. *)

val pop : unit -> Core.fiber option
(** The newest of the host's deque. *)

(** {1 Parallel bindings} *)

val pval : (unit -> 'a) -> ((unit -> 'a) -> 'b) -> 'b
(** [pval e body] is [let v = e () in body (fun () -> v)], where [body] may be
    begun by another vproc while [e] is evaluated; it then waits where it asks
    for the value. As long as nobody is idle the cost is that of a few calls.

    {b Exceptions} are those of sequential evaluation. If [e] raises, the body
    is cancelled with all that it has forked (or never started), waited for, and
    [e]'s exception is raised. If the body raises, [e] is waited for; its
    exception comes first.

    {b A value that nobody needs.} If the body returns without having asked, and
    [e] is still being evaluated, [e] is cancelled and waited for, and its
    cancellation is not seen. So if [e] may raise, and the body may not ask,
    whether the exception is seen depends on who is faster. A body that must not
    have that asks.

    {b What outlives a cancelled part.} A part of a [pval] is cancelled with its
    forks and with the scopes inside it. What it has put into a scope {e around}
    the [pval] is that scope's: [Scope.fork], and [Dromos.async], [Sched.spawn]
    and {!spawn} where the innermost scope is one around. It goes on, that scope
    waits for it and fails if it raises, as if the parts had been evaluated in
    sequence. A [Scope.run] in the part makes it go with the part.

    Under any scheduler, and outside {!run}: there, idle workers of the run take
    bodies as they take branches of [Dromos.both]. Outside a run it is just the
    two calls. *)

(** The same with the fiber's context passed on, as in [Dromos.Ctx], which saves
    looking it up. *)
module Ctx : sig
  type t
  (** Of the running fiber: each function uses the one that it is given. *)

  val get : unit -> t
  (** Raises {!Dromos_fiber.Misplaced} outside a run. *)

  val pval : t -> (t -> 'a) -> (t -> (unit -> 'a) -> 'b) -> 'b
end
