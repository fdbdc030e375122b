(** Growing arrays of non-negative 32-bit integers, packed in bytes: half the
    size of an [int array], and no work for the collector. Not for concurrent
    growth; different domains may write disjoint cells. *)

type t

val make : int -> t
(** An array of the given length, filled with zeros. *)

val empty : unit -> t
val length : t -> int
val get : t -> int -> int
val set : t -> int -> int -> unit
val push : t -> int -> unit
