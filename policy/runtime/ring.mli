(** A queue in an array, which doubles when full and halves when three quarters
    of the places are free; one domain at a time. Amortized O(1) each, but for
    {!offer} and {!to_list}. *)

type 'a t

val create : none:'a -> 'a t
(** Empty; [none] fills the free places. *)

val length : 'a t -> int
val add : 'a t -> 'a -> unit

val first : 'a t -> 'a
(** [none] of an empty ring, as {!last} and {!take_first}. *)

val last : 'a t -> 'a
val take_first : 'a t -> 'a

val drop_last : 'a t -> unit
(** Nothing happens to an empty ring. *)

val to_list : 'a t -> 'a list
(** First to last; linear. *)

val offer : 'a t -> ('a -> bool) -> enough:(unit -> bool) -> 'a list
(** Offers each, first to last, to the function, which must leave the ring
    alone; those for which it says [true] are taken out and returned, in order.
    After each, taken or not, [enough] says whether to stop. O(items offered).
*)
