(** Streams of random numbers, one for each task, in fiber-local storage.
    Internal; [Dromos.Random] is the public part.

    A stream is a place in the tree of forks: the seed of the stream above, and
    a number. The stream's own seed is the digest of the two, made when the
    stream first draws or forks. *)

type t

val in_use : bool ref
(** [true]: the process has made a stream; never set back. Forks and loops test
    this flag first. *)

val root : int -> t
val within : t -> (unit -> 'a) -> 'a
val find : unit -> t option

val state : call:string -> t -> Random.State.t
(** The generator to draw from. Raises {!Misplaced.Misplaced} where the caller
    has no stream of its own: in the functions with which a loop combines or
    compares, and in forks of schedulers that make no streams. *)

val inherited : Hmap.t -> Hmap.t
(** The storage for a new task: the given storage, with the next child of its
    stream. *)

val both :
  Hmap.t ->
  (Fiber.t -> 'a) ->
  (Fiber.t -> 'b) ->
  ((Fiber.t -> 'a) -> (Fiber.t -> 'b) -> 'c) ->
  'c
(** [both storage f g fork] is [fork f g], with a stream for [f] and a stream
    for [g], both children of the storage's stream. *)

val loop : (int -> 'a) -> ((int -> 'a) -> 'b) -> 'b
(** [loop body go] is [go body]. Each index has a stream for [body], and code
    outside [body] has none. *)

val without : (unit -> 'a) -> 'a
(** Runs a function with no stream in force: the function is called in no fixed
    order. *)
