(** A set of integers as an ordered linked list without locks: T. L. Harris, A
    pragmatic implementation of non-blocking linked lists, DISC 2001. Each
    operation takes time in the number of smaller elements. *)

type t

val create : unit -> t

val add : t -> int -> bool
(** [false] if it was there. Not [min_int] and not [max_int]. *)

val remove : t -> int -> bool
(** [false] if it was not there. *)

val mem : t -> int -> bool

val to_list : t -> int list
(** In order. While others change the set: each element that was there all the
    time, none that was never there. *)
