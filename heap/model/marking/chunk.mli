(** [allocate.c], [leaf.c], [apart.c], [sweep.c]: chunks, where they matter.
    What is not pinned in one that is full of holes is overwritten when those
    are used again. *)

val in_one : State.t -> int -> (State.obj -> bool) -> bool
(** Is there such an object in that chunk? *)

val allocate : Rule.rules -> State.t -> int -> (State.t * State.spot) list
(** In a leaf: where its area is; else in a new chunk, or in holes. *)

val allocate_large : State.t -> State.t * State.spot
(** In a chunk of its own. *)

val fresh : State.t -> int
(** A new chunk. *)

val old : State.t -> int -> State.t
(** All of a leaf is, and the leaf goes on elsewhere. *)

val brought_back : Rule.rules -> State.obj -> State.obj
(** Some were young, and have more than what is pinned. *)

val given : State.obj -> State.obj
(** To all. *)

val taken : State.obj -> State.obj
(** Out of what is frozen. *)

val has_bits : State.obj -> bool
(** It is pinned for itself, if that has expired or not. *)

val chunk_of : State.obj -> int
(** Or 0. *)

val judges : Rule.rules -> State.t -> State.obj -> bool
(** Is what is not met in its chunk dead? *)

val settle : State.t -> int list -> State.t
(** In these chunks what was dead is not pinned any more. *)
