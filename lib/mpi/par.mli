(** Loops over ranks: collective operations, which all ranks of the group call
    with the same arguments.

    {b How.} Each rank begins with an equal part of the indices and takes chunks
    off it; inside a chunk it is the ordinary loop of [Dromos.Par]. A rank that
    has nothing left asks the others, from a random one on, for half of what
    they have. No rank hands out work for all: rank 0 only counts what is over,
    one message each time that a rank has run dry.

    {b Order.} Results are combined by index, so that what an associative
    function gives does not depend on who did what. For floats, whose addition
    is not associative, the last bits may differ from run to run.

    {b Exceptions.} If the function fails for some indices, all ranks raise
    {!Failed} with the least of them, as one rank alone would; what is above it
    is not begun any more. *)

exception
  Failed of { rank : int; index : int; error : string; backtrace : string }
(** The exception's text, since exceptions do not survive a message. *)

val for_ : ?chunk:int -> Comm.t -> int -> (int -> unit) -> unit
(** [for_ comm n f] calls [f i] for [i] in [0 .. n - 1], each on one rank.
    [chunk] (1): what a rank takes, or gives to another, is not divided into
    less. *)

val map_reduce :
  ?chunk:int ->
  Comm.t ->
  map:(int -> 'a) ->
  combine:('a -> 'a -> 'a) ->
  'a ->
  int ->
  'a
(** [map_reduce comm ~map ~combine zero n] combines [zero] and [map i] for [i]
    in [0 .. n - 1], in this order; on all ranks. *)

val init : ?chunk:int -> Comm.t -> int -> (int -> 'a) -> 'a array
(** [Array.init], on all ranks. *)

val map : ?chunk:int -> Comm.t -> ('a -> 'b) -> 'a array -> 'b array
(** [Array.map] of an array that all ranks have. *)
