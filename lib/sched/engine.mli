(** Engines: computations that run for a given time and can be continued later.

    {[
      # module Sched = Dromos.Sched;;
      module Sched = Dromos.Sched
      # let rec finish turns engine =
          Sched.Engine.run engine ~fuel:10
            ~complete:(fun v left -> (v, turns, left))
            ~expire:(finish (turns + 1))
      val finish : int -> 'a Sched.Engine.t -> 'a * int * int = <fun>
      # Dromos.run (fun () ->
            finish 0
              (Sched.Engine.make (fun () ->
                   for _ = 1 to 25 do Dromos.yield () done;
                   "done")))
      - : string * int * int = ("done", 2, 5)
    ]}

    {b Fuel} is counted in ticks. The computation uses a tick each time it
    yields ([Dromos.yield], {!Dromos_sched.yield}) and, in runs with preemption,
    each time it is preempted after a quantum. Waiting uses no ticks, and the
    engine keeps running meanwhile. Ticks of other fibers ([async], a branch
    that another worker took, fibers of a scheduler started by the computation)
    are not counted.

    {b Nesting}: each tick of an engine also preempts the fiber that runs the
    engine. If the running fiber belongs to an outer engine, the tick counts
    against the outer engine too. The ticks of an inner engine can exhaust an
    outer engine; continuing the outer engine then continues the inner engine.
    Under another scheduler, each tick lets the scheduler's other fibers run.

    {b Scopes}: from its first [run] until its end, the computation is a fiber
    of the scope in which the engine was {e made}. The scope waits for the
    fiber: run the engine to its end, or {!cancel} the engine.

    Source: Haynes, Friedman, {e Engines build process abstractions} (LFP 1984);
    Dybvig, Hieb, {e Engines from continuations} (1989), for nesting: "fair"
    engines, in their terms; Manticore, section 3.3.2. Checked:
    test/sched/engine. *)

type 'a t

val make : (unit -> 'a) -> 'a t
(** A new engine, not started. Call [make] in a fiber. *)

val run :
  'a t -> fuel:int -> complete:('a -> int -> 'b) -> expire:('a t -> 'b) -> 'b
(** Continues the computation for at most [fuel] ticks. If the computation ends
    before the last tick, the result is [complete value left], where [left >= 1]
    ticks are unused. At the last tick the result is [expire rest], where [rest]
    is the same engine. An exception of the computation is raised, with its
    backtrace. If the caller is cancelled, [run] raises [Cancelled], and another
    fiber can continue the engine.

    Raises [Invalid_argument] if [fuel < 1], if a fiber is running the engine,
    or if the engine is over. *)

val cancel : 'a t -> unit
(** Cancels the computation, and returns when the computation and all its fibers
    have stopped. A fiber that is running the engine gets [Cancelled]. Has no
    effect if the engine is over. The computation itself must not call [cancel].
*)
