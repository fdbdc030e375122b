(** A queue in an array. The array doubles when it is full; an array of more
    than 64 places halves when more than three quarters of the places are free.
    For one domain at a time. Each operation is amortized O(1), except {!offer}
    and {!to_list}. *)

type 'a t

val create : none:'a -> 'a t
(** An empty ring; [none] fills the free places. *)

val length : 'a t -> int
val add : 'a t -> 'a -> unit

val first : 'a t -> 'a
(** [none] for an empty ring; likewise {!last} and {!take_first}. *)

val last : 'a t -> 'a
val take_first : 'a t -> 'a

val drop_last : 'a t -> unit
(** Does nothing to an empty ring. *)

val to_list : 'a t -> 'a list
(** The items from first to last; linear. *)

val offer : 'a t -> ('a -> bool) -> enough:(unit -> bool) -> 'a list
(** Offers each item, first to last, to the function, which must not use the
    ring. Items for which the function returns [true] are taken out and
    returned, in order. After each item, taken or not, [enough] says whether to
    stop. O(items offered). *)
