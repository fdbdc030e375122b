(** [domain.c]: domains are spawned and end. *)

type steps = (Label.t * State.t) list

val spawn : Rule.rules -> State.t -> int -> State.value -> int -> steps

val begin_ : Rule.rules -> State.t -> int -> steps
(** The first step of a spawned domain. *)

val end_ : Rule.rules -> State.t -> int -> steps
(** The domain's leaf becomes frozen. *)
