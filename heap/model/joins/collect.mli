(** Collections. A local collection (of a leaf) is one step: the collection
    touches only objects of the domain itself, and {!Invariant} checks the
    claim. *)

type scope = Young | Full

val leaf : Fault.rules -> scope -> int -> State.t -> State.t
(** [leaf rules scope d s] collects the leaf of domain [d]. A pointer that the
    collection does not see becomes [dead] if its object moves or is freed. *)

val global : Fault.rules -> State.t -> State.t
(** Collects all heaps, while the world is stopped. *)
