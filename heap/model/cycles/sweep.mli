(** [sweep.c]: frees the judged objects that a cycle has not marked. *)

type steps = (Label.t * State.t) list

val start : Rules.t -> State.t -> int -> steps
(** A domain begins to sweep the leaf in which it allocates, after the end of a
    cycle. *)

val go_on : Rules.t -> State.t -> int -> State.value list -> steps
(** Sweeps the judged objects. *)

val frozen : Rules.t -> State.t -> int -> State.t
(** Sweeps the frozen heap; its live objects go to the given leaf. *)
