(** A priority queue without locks: J. Lindén and B. Jonsson, A skiplist-based
    concurrent priority queue with minimal memory contention, OPODIS 2013.

    Linearizable; the smallest keys first, of equal ones the last pushed. *)

type 'a t

val create : unit -> 'a t

val push : 'a t -> int -> 'a -> unit
(** Logarithmic time, expected. The key is less than [max_int]. *)

val pop_min : 'a t -> (int * 'a) option
(** [None] if there was nothing at some moment of the call. *)
