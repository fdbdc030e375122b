(** What is the same of two states. *)

val state : State.t -> State.t
(** Without garbage that has no name; objects numbered as they are met, and
    chunks. *)

val key : State.t -> string
(** Of a canonical state. *)
