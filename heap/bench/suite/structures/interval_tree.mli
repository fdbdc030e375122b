(** Intervals of integers in a balanced search tree that stores the reach of
    each subtree: the augmented map of Y. Sun, D. Ferizovic and G. E. Blelloch,
    PAM: parallel augmented maps, PPoPP 2018, built by joining, after G. E.
    Blelloch, D. Ferizovic and Y. Sun, Just join for parallel ordered sets, SPAA
    2016. The tree is persistent, a set of pairs [(low, high)]. *)

type t

val empty : t
val size : t -> int
val add : int * int -> t -> t
val remove : int * int -> t -> t

type both = (unit -> t) -> (unit -> t) -> t * t
(** A function that runs two functions in parallel. *)

val union : both -> t -> t -> t

val of_array : both -> (int * int) array -> t
(** Builds the tree in parallel, by halves. *)

val covers : t -> int -> bool
(** [true] if an interval has [low <= x <= high]. Logarithmic time. *)

val count : t -> int -> int
(** The number of intervals with [low <= x <= high]. The time is linear in the
    result, times a logarithm. *)

val check : t -> unit
(** Raises [Failure] unless the tree is ordered and balanced, with a correct
    reach in every node. *)
