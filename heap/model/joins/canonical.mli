(** The canonical form of a state: equal states have the same form. *)

val state : State.t -> State.t
(** The state without garbage, objects numbered in the order of a visit. *)

val key : State.t -> string
(** A string that identifies a canonical state. *)
