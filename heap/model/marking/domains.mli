(** [domain.c]: domains that come and go. *)

type steps = (Label.t * State.t) list

val spawn : Rule.rules -> State.t -> int -> State.value -> int -> steps

val begin_ : Rule.rules -> State.t -> int -> steps
(** By one that has been spawned. *)

val end_ : Rule.rules -> State.t -> int -> steps
(** What it leaves is frozen. *)
