(** [domain.c]: domains are spawned and end. *)

type steps = (Label.t * State.t) list

val spawn : Rules.t -> State.t -> int -> State.value -> int -> steps

val begin_ : Rules.t -> State.t -> int -> steps
(** The first step of a spawned domain. *)

val end_ : Rules.t -> State.t -> int -> steps
(** The domain's leaf becomes frozen. *)
