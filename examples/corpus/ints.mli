(** Growing arrays of non-negative 32-bit integers, packed in bytes: half the
    room of an [int array], and nothing for the collector to look at. Not for
    concurrent growth; disjoint cells may be written by different domains. *)

type t

val make : int -> t
(** A given length, filled with zeros. *)

val empty : unit -> t
val length : t -> int
val get : t -> int -> int
val set : t -> int -> int -> unit
val push : t -> int -> unit
