(** Loops over ranks: collective operations, which all ranks of the group call
    with the same arguments.

    {b Method.} Each rank begins with an equal part of the indices and cuts
    chunks off; a chunk is an ordinary loop of [Dromos.Par]. A rank without
    indices asks the other ranks, in turn from a random rank on, for half of
    their indices. No rank distributes all work: rank 0 only counts finished
    indices, one message each time a rank runs dry.

    {b Waiting.} A loop begins when all ranks have called it; until then the
    calling task alone is suspended. While a rank waits for the last indices of
    other ranks, it asks for work again after .5 ms, then more and more seldom,
    and at last ten times a second.

    {b Cancellation.} If the calling task is cancelled on one rank, no rank
    begins another index. The cancelled rank raises its cancellation; the other
    ranks raise {!Failed} with index -1.

    {b Order.} Results are combined in the order of indices, so an associative
    function gives the same result for any distribution of the indices. Addition
    of floats is not associative: the last bits may differ from run to run.

    {b Progress.} [progress n] is called at rank 0 when [n] indices are over on
    all ranks: some ten times a second for each rank, when a rank runs dry, and
    at the end. A thread of the service domain calls [progress], which must
    neither wait nor compute for long. If [progress] raises, the loop goes on,
    and all ranks raise {!Failed} in the end, with the number of indices as the
    index.

    {b Exceptions.} If the function fails for some indices, all ranks raise
    {!Failed} with the least failing index, as one process would; no greater
    index begins after the failure. *)

exception
  Failed of { rank : int; index : int; error : string; backtrace : string }
(** The failure of an index. [error] is the exception's text, since exceptions
    do not survive a message. *)

val for_ :
  ?chunk:int ->
  ?progress:(int -> unit) ->
  Comm.t ->
  int ->
  (int -> unit) ->
  unit
(** [for_ comm n f] calls [f i] for [i] in [0 .. n - 1], each on one rank.
    [chunk] (1) is the least number of indices that a rank takes, or gives to
    another rank. *)

val map_reduce :
  ?chunk:int ->
  ?progress:(int -> unit) ->
  Comm.t ->
  map:(int -> 'a) ->
  combine:('a -> 'a -> 'a) ->
  init:'a ->
  int ->
  'a
(** [map_reduce comm ~map ~combine zero n] combines [zero] and [map i] for [i]
    in [0 .. n - 1], in this order; on all ranks. *)

val init :
  ?chunk:int ->
  ?progress:(int -> unit) ->
  Comm.t ->
  int ->
  (int -> 'a) ->
  'a array
(** [Array.init]: the array, on all ranks. *)

val map :
  ?chunk:int ->
  ?progress:(int -> unit) ->
  Comm.t ->
  ('a -> 'b) ->
  'a array ->
  'b array
(** [Array.map] of an array that all ranks have. *)
