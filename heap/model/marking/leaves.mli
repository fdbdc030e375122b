(** [leaf.c], [trace.c], [ephemeron.c]: collections of leaves, where chunks
    matter. Each is one step: what it moves or frees is the domain's own. *)

type scope = Young | Full

val collect : Rule.rules -> scope -> State.t -> int -> State.t list
(** Of a domain's leaf. What stays leaves holes around it; a full one may leave
    a chunk as it is. *)

val remember : Rule.rules -> State.t -> int -> State.write -> State.t
(** Before a domain stores into what is its own: for its next young one. *)
