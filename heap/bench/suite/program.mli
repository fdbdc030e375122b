(** A program of the suite.

    A program is written once, over {!Fork}. Run on {!Forks.sequential} the
    program is its own sequential elision; run on {!Forks.dromos} the program is
    parallel. *)

(** Fork/join and loops, with the names and meanings of [Dromos] and
    [Dromos.Par]. The body of a loop or a branch may run on any domain; all
    bodies have ended when the call returns. *)
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
  (** [map_reduce lo hi ~map ~combine ~init] combines the results of [map] on
      the indices [lo .. hi - 1]. *)

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
    (** An exclusive scan, with the total. *)
  end
end

type job = unit -> unit -> int
(** The call of a job is timed. The call returns a function that makes a
    checksum of the result, outside the time. A job can run again: its input
    stays unchanged. The checksum depends on the size alone, not on the
    schedule. *)

type t = {
  name : string;
  about : string;  (** one line *)
  entangled : bool;
      (** tasks reach objects of concurrent tasks, not only of ancestors *)
  allocates : bool;
      (** belongs to the half of the programs that allocates most *)
  size_is : string;  (** the unit of the size *)
  size : int;
      (** the paper's size, or a size that takes about a second on OCaml's own
          runtime *)
  tiny : int;  (** for tests: a few milliseconds, with all code covered *)
  prepare : int -> (module Fork) -> job;
      (** [prepare size] makes the input, outside the time, from {!Bench_plain}
          alone, so every process gets the same input. *)
}
