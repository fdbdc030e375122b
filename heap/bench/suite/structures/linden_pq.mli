(** A lock-free priority queue: J. Lindén and B. Jonsson, A skiplist-based
    concurrent priority queue with minimal memory contention, OPODIS 2013.

    The queue is linearizable. The smallest key comes first; among equal keys,
    the last pushed comes first. *)

type 'a t

val create : unit -> 'a t

val push : 'a t -> int -> 'a -> unit
(** Logarithmic time, expected. The key is less than [max_int]. *)

val pop_min : 'a t -> (int * 'a) option
(** [None] if the queue was empty at some moment of the call. *)
