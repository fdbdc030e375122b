(** The set of states found by a search.

    The packed bytes of states lie one behind the other in blocks that never
    move, each with the state from which it was reached. An open-addressing
    table of places finds the states. A state is named by its place. The
    overhead is some 30 bytes for each state. *)

type t

val create : unit -> t

val add : t -> Bytes.t -> int -> budget:int -> parent:int -> bool
(** [add t b length ~budget ~parent]: false if the set already has the state
    with no smaller budget: every continuation of the new state is then possible
    from the old one too. *)

val count : t -> int

val bytes : t -> int
(** The bytes of memory held by the set. *)

val next : t -> int -> int
(** The state added after this one; the first state for -1. Returns -1 if there
    is no next state. *)

val block : t -> int -> Bytes.t
(** The block of a state; the state begins at {!offset}. *)

val offset : t -> int -> int
val length : t -> int -> int
val budget : t -> int -> int

val parent : t -> int -> int
(** The state from which the search reached this state; -1 for a start of the
    search. *)
