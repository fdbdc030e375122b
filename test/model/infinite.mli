(** The deque of the textbooks, in an infinite array without erasure: the
    sequential reference for every work-stealing deque. Persistent. *)

type t

val empty : t
val push : t -> int -> t
val pop : t -> (int * t) option
val steal : t -> (int * t) option
val size : t -> int
