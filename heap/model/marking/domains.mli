(** Domains that begin and end in the middle of a cycle. *)

type steps = (Heap_model.Label.t * State.t) list

val spawn : Rule.rules -> State.t -> int -> State.value -> int -> steps
val end_ : Rule.rules -> State.t -> int -> steps
