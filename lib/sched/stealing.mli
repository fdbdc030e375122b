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

    Each vproc has a deque, and runs the newest fiber of its deque. A vproc with
    an empty deque takes fibers that have come back from elsewhere, then steals
    the oldest fiber of a vproc chosen at random. Before each attempt to steal,
    the vproc gives the action below a turn. After some attempts in vain the
    instance waits, without a cost, until there is work. Any vproc may continue
    a fiber that yields; a fiber tied to a vproc (an instance of an inner
    scheduler, a fiber preempted by force) waits for its turn there.

    Sources: Manticore, section 5; Cilk-5 (Frigo, Leiserson, Randall, PLDI
    1998). *)

val run :
  ?vprocs:Vproc.t list ->
  ?under:(Vproc.t -> Core.fiber -> unit) ->
  (unit -> 'a) ->
  'a
(** Runs a function as a fiber of a new scheduler on the given vprocs, by
    default all. Returns when all fibers spawned by the function are over.
    [under]: see {!Attached.run}. The scheduler below has a turn whenever a
    fiber yields or is preempted, and before each attempt to steal. *)

val spawn : ?name:string -> (unit -> unit) -> unit
(** Makes a fiber of the innermost work-stealing scheduler around the caller, in
    the caller's scope. Raises [Invalid_argument] outside {!run}. *)

val push : Core.fiber -> unit
(** Pushes a fiber onto the host's deque ([wsPush] in the paper). Raises
    [Invalid_argument] outside {!run}. *)

val give : Vproc.t -> Core.fiber -> unit
(** Gives a fiber to the scheduler, to run only on the given vproc, if an
    instance is there. For the [~under] of an inner scheduler. Raises
    [Invalid_argument] outside {!run}. *)

val pop : unit -> Core.fiber option
(** Takes the newest fiber of the host's deque. *)

(** {1 Parallel bindings} *)

val pval : (unit -> 'a) -> ((unit -> 'a) -> 'b) -> 'b
(** [pval e body] is [let v = e () in body (fun () -> v)], except that another
    vproc may begin [body] while [e] is evaluated; [body] then waits where it
    asks for the value. While no vproc is idle, [pval] costs a few calls.

    {b Exceptions} are as in sequential evaluation. If [e] raises, [pval]
    cancels the body and all its forks (or never starts the body), waits for
    them, and raises [e]'s exception. If the body raises, [pval] waits for [e];
    an exception of [e] takes precedence.

    {b A value that is not needed.} If the body returns without having asked,
    and [e] is still being evaluated, [pval] cancels [e] and waits for it, and
    the cancellation is not visible. If [e] may raise and the body may not ask,
    the exception may or may not be raised, depending on which part is faster. A
    body avoids the race by asking.

    {b What outlives a cancelled part.} A part of a [pval] is cancelled with its
    forks and with the scopes inside the part. A task that the part has put into
    a scope {e around} the [pval] belongs to the outer scope: tasks of
    [Scope.fork], and of [Dromos.async], [Sched.spawn] and {!spawn} where the
    innermost scope is an outer scope. The task goes on; the outer scope waits
    for the task and fails if it raises, as if the parts had been evaluated in
    sequence. A [Scope.run] inside the part makes the task end with the part.

    Works under any scheduler, and outside {!run}: there, idle workers of the
    run take bodies as they take branches of [Dromos.both]. Outside a run,
    [pval] is the two calls in sequence. *)

(** Parallel bindings with the fiber's context passed on, as in [Dromos.Ctx],
    which saves looking the fiber up. *)
module Ctx : sig
  type t
  (** The running fiber: each function uses the context that it is given. *)

  val get : unit -> t
  (** Raises {!Dromos_fiber.Misplaced} outside a run. *)

  val pval : t -> (t -> 'a) -> (t -> (unit -> 'a) -> 'b) -> 'b
end
