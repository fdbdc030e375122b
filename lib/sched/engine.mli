(** Engines: computations that run for a given time, and can be continued.

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

    {b Fuel} is counted in ticks: one for each time the computation yields
    ([Dromos.yield], {!Dromos_sched.yield}), and, in runs with preemption, for
    each quantum after which it is preempted. Waiting costs nothing, and the
    engine goes on running meanwhile. What it has others do ([async], a branch
    that another worker took, fibers of a scheduler that it starts) is not
    counted.

    {b Nesting}: whoever runs an engine is preempted by each of its ticks. So if
    that is an engine itself, the tick counts against it too, and the ticks of
    an inner engine can exhaust an outer one; when that is continued, so is the
    inner one. Under another scheduler each tick lets that one's other fibers
    run.

    {b Scopes}: from the first time it is run until it is over, the computation
    is a fiber of the scope in which the engine was {e made}, which waits for
    it: run it to its end, or {!cancel} it.

    Source: Haynes, Friedman, {e Engines build process abstractions} (LFP 1984);
    Dybvig, Hieb, {e Engines from continuations} (1989), for nesting: "fair"
    engines, in their terms; Manticore, section 3.3.2. Checked:
    test/sched/engine. *)

type 'a t

val make : (unit -> 'a) -> 'a t
(** Not started. By a fiber. *)

val run :
  'a t -> fuel:int -> complete:('a -> int -> 'b) -> expire:('a t -> 'b) -> 'b
(** Continues the computation for [fuel] ticks at most. If it ends before the
    last of them, the result is [complete value left], with [left >= 1] ticks
    not used; at that tick, [expire rest]. (The rest is the same engine.) An
    exception of the computation is raised, with its backtrace. If the caller is
    cancelled, [Cancelled] is raised, and the engine can be continued by another
    fiber.

    Raises [Invalid_argument] if [fuel < 1], if the engine is being run, and if
    it is over. *)

val cancel : 'a t -> unit
(** Cancels the computation, and returns when it and all its fibers have
    stopped; whoever runs it gets [Cancelled]. Does nothing if it is over. Not
    by the computation itself. *)
