(** [leaf.c], [trace.c], [ephemeron.c]: collections of leaves, in programs where
    chunks matter. A collection is one step, since it moves and frees only
    objects of the domain itself. *)

type scope = Young | Full

val collect : Rules.t -> scope -> State.t -> int -> State.t list
(** Collects the leaf of a domain. An object that stays in place leaves holes
    around it. A full collection may leave a chunk as it is. *)

val remember : Rules.t -> State.t -> int -> State.write -> State.t
(** Remembers the field for the next young collection, before a domain stores
    into a private object. *)
