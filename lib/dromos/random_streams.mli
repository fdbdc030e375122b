(** Random numbers that are the same in every run. Each task draws from a stream
    of its own, made from the seed and from the task's place in the program.
    Workers, hub and steals make no difference.

    {[
      # let pi ~workers =
          Dromos.run ~workers @@ fun () ->
          Dromos.Random.run ~seed:42 @@ fun () ->
          let inside _ =
            let x = Dromos.Random.float 1. and y = Dromos.Random.float 1. in
            if (x *. x) +. (y *. y) < 1. then 1 else 0
          in
          Dromos.Par.map_reduce 0 1000 ~map:inside ~combine:( + ) ~init:0
      val pi : workers:int -> int = <fun>
      # pi ~workers:1 = pi ~workers:4
      - : bool = true
    ]}

    {b With a stream of its own}: the function given to {!run}; each branch of
    [both], [Ctx.both] and [all]; each task of [async], [Scope], [Sched.fiber]
    and [Sched.spawn], in the order in which its maker makes them; each vertex
    of a [Dag]; each index of a loop of [Par] over elements, whatever the
    pieces. After a fork a task goes on with its own stream. A function in
    [Dromos.blocking] draws from its caller's stream.

    {b Without a stream}, so that a draw raises {!Dromos_fiber.Misplaced}: code
    outside {!run}; functions that combine or compare for a loop; forks of
    [Sched.Stealing] that another worker took.

    {b Not the same in every run}: results that depend on the order in which
    tasks act (messages, first results, a task made by the first of two tasks);
    draws in chunked loops ([for_chunks], [map_reduce_chunks], scans) without
    [~grain], since each piece has a stream and the pieces depend on the number
    of workers; draws of fibers of [Fifo], which share one stream.

    Draws use [Stdlib.Random.State] (LXM), and have its quality. A stream costs
    nothing until its first draw, which takes about a microsecond. Each fork
    takes some hundred nanoseconds more inside {!run}, and one test outside. No
    function waits. Not for cryptography. *)

val run : seed:int -> (unit -> 'a) -> 'a
(** [run ~seed f] is [f ()], with streams from [seed] for [f] and for all tasks
    made in it. [run] may be called inside or around [Dromos.run], inside
    another [run], and from any thread. *)

(** {1 Draws}

    Draws from the caller's stream, with the arguments, results and
    [Invalid_argument]s of [Stdlib.Random]. *)

val bits : unit -> int
val int : int -> int
val full_int : int -> int
val int_in_range : min:int -> max:int -> int
val int32 : int32 -> int32
val int64 : int64 -> int64
val nativeint : nativeint -> nativeint
val float : float -> float
val bool : unit -> bool
val bits32 : unit -> int32
val bits64 : unit -> int64

val state : unit -> Stdlib.Random.State.t
(** The caller's stream, for code that takes a [State.t]. Only the calling task
    may use the stream, and must not keep it. *)
