(** The states that were found, numbered from 0 in the order in which they were.

    Bytes lie in blocks that never move; an open table of numbers finds them
    again. Some 40 bytes a state beside the state itself. *)

type t

val create : unit -> t

val add : t -> Bytes.t -> int -> budget:int -> parent:int -> bool
(** [add t b length ~budget ~parent]: false if it was there, with no smaller
    budget: all that can follow can follow there too. *)

val budget : t -> int -> int
val count : t -> int

val bytes : t -> int
(** Held by all this. *)

val block : t -> int -> Bytes.t
(** Of a state: where it lies, with {!offset}. *)

val offset : t -> int -> int

val parent : t -> int -> int
(** -1 for states to begin with. *)

val equal : t -> int -> Bytes.t -> int -> bool
