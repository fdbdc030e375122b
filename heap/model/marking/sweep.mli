(** [sweep.c]: what becomes of what a cycle has not met. *)

type steps = (Label.t * State.t) list

val start : Rule.rules -> State.t -> int -> steps
(** By a domain, in the leaf where it allocates, after the end of a cycle. *)

val go_on : Rule.rules -> State.t -> int -> State.value list -> steps
(** Of what was judged. *)

val frozen : Rule.rules -> State.t -> int -> State.t
(** What of it lives goes to that leaf. *)
