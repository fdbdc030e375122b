(** The heap of a machine: cells at numbered locations. Between two allocations
    there is a cell that does not exist, so that an access past the end of a
    block is found. *)

type t

val create : unit -> t

val alloc : t -> int -> Value.t -> int
(** The first of as many cells, all with this content. *)

val get : t -> int -> Value.t option
val set : t -> int -> Value.t -> unit
