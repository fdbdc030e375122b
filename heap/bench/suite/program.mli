(** What a program of the suite is.

    A program is written once, as a functor's body would be, over {!Fork}: run
    on {!Forks.sequential} it is its own sequential elision, on {!Forks.dromos}
    it is parallel. *)

(** Fork/join and the loops over it, by the names and with the meaning that they
    have in [Dromos] and [Dromos.Par]. What is called from a loop's body or a
    branch may run on any domain; all of it is over when the call returns. *)
module type Fork = sig
  val both : (unit -> 'a) -> (unit -> 'b) -> 'a * 'b
  val for_ : ?grain:int -> int -> int -> (int -> unit) -> unit

  val for_chunks : ?grain:int -> int -> int -> (int -> int -> unit) -> unit
  (** [for_chunks lo hi body] calls [body l h] on pieces [l .. h - 1]. *)

  val map_reduce :
    ?grain:int ->
    int ->
    int ->
    map:(int -> 'a) ->
    combine:('a -> 'a -> 'a) ->
    init:'a ->
    'a
  (** [map_reduce lo hi ~map ~combine ~init]. *)

  val map_reduce_chunks :
    ?grain:int ->
    int ->
    int ->
    map:(int -> int -> 'a) ->
    combine:('a -> 'a -> 'a) ->
    init:'a ->
    'a

  module Array : sig
    val init : ?grain:int -> int -> (int -> 'a) -> 'a array
    val map : ?grain:int -> ('a -> 'b) -> 'a array -> 'b array
    val filter : ?grain:int -> ('a -> bool) -> 'a array -> 'a array

    val scan : ?grain:int -> ('a -> 'a -> 'a) -> 'a -> 'a array -> 'a array * 'a
    (** Exclusive, with the total. *)
  end
end

type job = unit -> unit -> int
(** The first call is timed; what it returns makes a checksum of its result,
    outside the time. A job can be run again: it leaves its input as it was. The
    checksum depends on the size alone, not on who did what when. *)

type t = {
  name : string;
  about : string;  (** one line *)
  entangled : bool;
      (** tasks reach what others, not their ancestors, have allocated *)
  allocates : bool;  (** belongs to the half that allocates most *)
  size_is : string;  (** what the size counts *)
  size : int;  (** the paper's, or what takes a stock program about a second *)
  tiny : int;  (** for tests: a few milliseconds, and all of the code is run *)
  prepare : int -> (module Fork) -> job;
      (** [prepare size] makes the input, outside the time, from {!Bench_plain}
          alone, so that it is the same in every process. *)
}
