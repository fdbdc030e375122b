(** The heap of a machine: cells at numbered locations. A location without a
    cell separates two blocks, so an access past the end of a block finds no
    cell. *)

type t

val create : unit -> t

val alloc : t -> int -> Value.t -> int
(** [alloc t n v] allocates [n] cells with the content [v], and returns the
    location of the first cell. *)

val get : t -> int -> Value.t option
(** The content of the cell at the location, or [None] without a cell. *)

val set : t -> int -> Value.t -> unit
