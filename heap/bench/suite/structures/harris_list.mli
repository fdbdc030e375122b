(** A lock-free set of integers as an ordered linked list: T. L. Harris, A
    pragmatic implementation of non-blocking linked lists, DISC 2001. The time
    of an operation is linear in the number of smaller elements. *)

type t

val create : unit -> t

val add : t -> int -> bool
(** Returns [false] if the key was there already. The key is neither [min_int]
    nor [max_int]. *)

val remove : t -> int -> bool
(** Returns [false] if the key was not there. *)

val mem : t -> int -> bool

val to_list : t -> int list
(** The elements in order. While concurrent calls change the set, the result
    holds each element that was there all the time, and no element that never
    was. *)
