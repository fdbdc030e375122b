(** Parallel loops, on ranges, arrays, float arrays and bigarrays.

    Every loop takes a half-open range [lo .. hi - 1]. Work is split lazily:
    only as far as idle workers ask for it, so there is no grain to choose;
    [?grain] (the least number of consecutive iterations that is never split)
    is there to tune, for bodies of a few nanoseconds. Inside a run, loops use
    its workers; outside, they are plain loops.

    {b Results are deterministic}: combining functions are applied in index
    order, to adjacent results, so associativity is enough (floating-point
    sums depend on how the range was cut, and thus on the run, unless [~grain]
    is given {e and} the function says so).

    {b Exceptions are those of the sequential loop}: the leftmost one is
    raised; iterations to its right are cancelled or never started, those to
    its left have all run.

    {b Chunked forms} ([.._chunks]) give the body whole pieces
    [fun lo hi -> ...] so that its inner loop is a plain monomorphic [for]
    loop, with unboxed floats and no call per element. *)

(** {1 Ranges} *)

val for_ : ?grain:int -> int -> int -> (int -> unit) -> unit
(** [for_ lo hi body]. *)

val for_chunks : ?grain:int -> int -> int -> (int -> int -> unit) -> unit
(** [for_chunks lo hi body] calls [body l h] on adjacent pieces that cover the
    range. *)

val map_reduce :
  ?grain:int -> int -> int -> map:(int -> 'a) -> combine:('a -> 'a -> 'a) ->
  'a -> 'a
(** [map_reduce lo hi ~map ~combine zero]; [zero] is neutral for [combine], and
    the result of an empty range. *)

val map_reduce_chunks :
  ?grain:int -> int -> int -> map:(int -> int -> 'a) ->
  combine:('a -> 'a -> 'a) -> 'a -> 'a
(** [map l h] is the result for a whole non-empty piece. *)

val find : ?grain:int -> int -> int -> (int -> bool) -> int option
(** The least index that satisfies the predicate. Stops early: indices to the
    right of one found are cancelled. *)

val find_map : ?grain:int -> int -> int -> (int -> 'a option) -> 'a option
val exists : ?grain:int -> int -> int -> (int -> bool) -> bool
(** Any index will do, so the first in time ends the loop. *)

val for_all : ?grain:int -> int -> int -> (int -> bool) -> bool

(** {1 Arrays} *)

(** Parallel arrays: [Stdlib.Array]'s functions, in parallel, with the
    exceptions of the sequential ones. *)
module Array : sig
  val init : ?grain:int -> int -> (int -> 'a) -> 'a array
  val iter : ?grain:int -> ('a -> unit) -> 'a array -> unit
  val iteri : ?grain:int -> (int -> 'a -> unit) -> 'a array -> unit
  val map : ?grain:int -> ('a -> 'b) -> 'a array -> 'b array
  val mapi : ?grain:int -> (int -> 'a -> 'b) -> 'a array -> 'b array
  val map2 : ?grain:int -> ('a -> 'b -> 'c) -> 'a array -> 'b array -> 'c array

  val fold : ?grain:int -> ('a -> 'a -> 'a) -> 'a -> 'a array -> 'a
  (** [fold combine zero a]. *)

  val map_reduce :
    ?grain:int -> map:('a -> 'b) -> combine:('b -> 'b -> 'b) -> 'b ->
    'a array -> 'b

  val scan : ?grain:int -> ('a -> 'a -> 'a) -> 'a -> 'a array -> 'a array * 'a
  (** Exclusive prefix "sums" and the total: element [i] of the result is
      [zero + a.(0) + .. + a.(i - 1)]. Two passes: [combine] is applied about
      twice per element. *)

  val scan_inclusive : ?grain:int -> ('a -> 'a -> 'a) -> 'a -> 'a array -> 'a array

  val filter : ?grain:int -> ('a -> bool) -> 'a array -> 'a array
  val filter_map : ?grain:int -> ('a -> 'b option) -> 'a array -> 'b array
  val partition : ?grain:int -> ('a -> bool) -> 'a array -> 'a array * 'a array
  (** Order is kept; the predicate is called once per element. *)

  val sort : ?grain:int -> ('a -> 'a -> int) -> 'a array -> unit
  (** Stable merge sort; in place, with as much room again. *)

  val find_opt : ?grain:int -> ('a -> bool) -> 'a array -> 'a option
  val find_index : ?grain:int -> ('a -> bool) -> 'a array -> int option
  val exists : ?grain:int -> ('a -> bool) -> 'a array -> bool
  val for_all : ?grain:int -> ('a -> bool) -> 'a array -> bool
  val mem : ?grain:int -> 'a -> 'a array -> bool
  val blit : ?grain:int -> 'a array -> int -> 'a array -> int -> int -> unit
  (** The two may not be the same array with overlapping ranges: then it raises
      [Invalid_argument]. *)
end

(** Unboxed: [floatarray]s. *)
module Floatarray : sig
  val init : ?grain:int -> int -> (int -> float) -> floatarray
  val map : ?grain:int -> (float -> float) -> floatarray -> floatarray
  val iteri : ?grain:int -> (int -> float -> unit) -> floatarray -> unit
  val map_reduce :
    ?grain:int -> map:(float -> float) -> combine:(float -> float -> float) ->
    float -> floatarray -> float
  val sum : ?grain:int -> floatarray -> float
  (** Pieces are cut by [grain] alone (default 4096), so that the result is the
      same in every run. *)

  val scan : ?grain:int -> (float -> float -> float) -> float -> floatarray -> floatarray * float
  val sort : ?grain:int -> (float -> float -> int) -> floatarray -> unit
end

(** One-dimensional bigarrays of any kind and layout; indices are those of the
    layout. *)
module Bigarray : sig
  open Stdlib.Bigarray

  val init : ?grain:int -> ('a, 'b) kind -> 'c layout -> int -> (int -> 'a) -> ('a, 'b, 'c) Array1.t
  val fill : ?grain:int -> ('a, 'b, 'c) Array1.t -> 'a -> unit
  val map : ?grain:int -> ('a, 'd) kind -> ('e -> 'a) -> ('e, 'f, 'c) Array1.t -> ('a, 'd, 'c) Array1.t
  val iteri : ?grain:int -> (int -> 'a -> unit) -> ('a, 'b, 'c) Array1.t -> unit
  val map_reduce :
    ?grain:int -> map:('a -> 'r) -> combine:('r -> 'r -> 'r) -> 'r ->
    ('a, 'b, 'c) Array1.t -> 'r
end
