(** Intervals of integers in a balanced search tree that knows how far each of
    its subtrees reaches: the augmented map of Y. Sun, D. Ferizovic and G. E.
    Blelloch, PAM: parallel augmented maps, PPoPP 2018, built by joining, after
    G. E. Blelloch, D. Ferizovic and Y. Sun, Just join for parallel ordered
    sets, SPAA 2016. Persistent; a set of pairs [(low, high)]. *)

type t

val empty : t
val size : t -> int
val add : int * int -> t -> t
val remove : int * int -> t -> t

type both = (unit -> t) -> (unit -> t) -> t * t
(** How to do two things at a time. *)

val union : both -> t -> t -> t

val of_array : both -> (int * int) array -> t
(** In parallel, by halves. *)

val covers : t -> int -> bool
(** Whether an interval has [low <= x <= high]. Logarithmic time. *)

val count : t -> int -> int
(** How many have: time in their number, times a logarithm. *)

val check : t -> unit
(** Raises [Failure] unless it is in order, in balance and knows its reach. *)
