(** Random numbers that come out the same in every run: each task draws from a
    stream of its own, made from the seed and from the task's place in the
    program, whatever the workers, the hub, and who took what.

    {[
      # let pi ~workers =
          Dromos.run ~workers @@ fun () ->
          Dromos.Random.run ~seed:42 @@ fun () ->
          let inside _ =
            let x = Dromos.Random.float 1. and y = Dromos.Random.float 1. in
            if (x *. x) +. (y *. y) < 1. then 1 else 0
          in
          Dromos.Par.map_reduce 0 1000 ~map:inside ~combine:( + ) 0
      val pi : workers:int -> int = <fun>
      # pi ~workers:1 = pi ~workers:4
      - : bool = true
    ]}

    {b What has a stream}: the function given to {!run}; each branch of [both],
    [Ctx.both] and [all]; each task of [async], [Scope], [Sched.fiber] and
    [Sched.spawn], by when its maker makes it; each vertex of a [Dag]; each
    index of a loop of [Par] over elements, whatever it is cut into. A task that
    forks goes on with its own stream after it. A function in [Dromos.blocking]
    draws from its caller's.

    {b What has none}, so that a draw raises {!Dromos_fiber.Misplaced}: code
    outside {!run}; what a loop combines or sorts with; forks of
    [Sched.Stealing] that another worker took.

    {b What is not the same in every run}: what a program makes of the order in
    which its tasks happen to act (messages, first results, a task made by
    whichever of two comes first); draws in chunked loops ([for_chunks],
    [map_reduce_chunks], scans) without [~grain], whose pieces depend on the
    number of workers, as a stream is a piece's; fibers of [Fifo], which all
    draw from one stream, in their turn.

    Draws are those of [Stdlib.Random.State] (LXM), and of its quality. A stream
    costs nothing until it draws; the first draw takes about a microsecond, each
    fork some hundred nanoseconds more inside {!run}, and outside nothing but
    one test. Nothing waits. Not for cryptography. *)

val run : seed:int -> (unit -> 'a) -> 'a
(** [run ~seed f] is [f ()], with streams from that seed for [f] and all that is
    made in it. Inside or around [Dromos.run]; inside each other. From anywhere.
*)

(** {1 Draws}

    As in [Stdlib.Random], with the same arguments, results and
    [Invalid_argument]s, from the caller's stream. *)

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
(** The caller's stream itself, for code that takes one; for the calling task
    alone, and not to be kept. *)
