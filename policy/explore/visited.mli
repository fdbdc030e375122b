(** The states that were found.

    Their bytes lie one behind the other in blocks that never move, each with
    the state it was reached from; an open table of places finds them again. A
    state is known by its place. Some 30 bytes a state beside the state itself.
*)

type t

val create : unit -> t

val add : t -> Bytes.t -> int -> budget:int -> parent:int -> bool
(** [add t b length ~budget ~parent]: false if it was there, with no smaller
    budget: all that can follow can follow there too. *)

val count : t -> int

val bytes : t -> int
(** Held by all this. *)

val next : t -> int -> int
(** The state added after this one, the first after -1; -1 if there is none. *)

val block : t -> int -> Bytes.t
(** Of a state: where it lies, with {!offset}. *)

val offset : t -> int -> int
val length : t -> int -> int
val budget : t -> int -> int

val parent : t -> int -> int
(** -1 for states to begin with. *)
