(** Streams of random numbers, one for each task, in fiber-local storage.
    Internal; the public part is [Dromos.Random].

    A stream is a place in the tree of forks: the seed of the stream that it
    comes from, and a number. Its own seed is their digest, made when it first
    draws or forks. *)

type t

val in_use : bool ref
(** Whether there ever was one in this process, never set back: what forks and
    loops look at before anything else. *)

val root : int -> t
val within : t -> (unit -> 'a) -> 'a
val find : unit -> t option

val state : call:string -> t -> Random.State.t
(** To draw from. Raises {!Misplaced.Misplaced} where the caller has no stream
    of its own: in what a loop combines or compares with, and in forks of
    schedulers that make none. *)

val inherited : Hmap.t -> Hmap.t
(** For a task: that storage, with the next stream of the one in it. *)

val both :
  Hmap.t ->
  (Fiber.t -> 'a) ->
  (Fiber.t -> 'b) ->
  ((Fiber.t -> 'a) -> (Fiber.t -> 'b) -> 'c) ->
  'c
(** [both storage f g fork]: [fork f g], with a stream for either from the one
    in the storage. *)

val loop : (int -> 'a) -> ((int -> 'a) -> 'b) -> 'b
(** [loop body go] is [go body] where each index has a stream for [body], and
    what is outside of [body] has none. *)

val without : (unit -> 'a) -> 'a
(** For functions that are called in no fixed order: nobody draws. *)
