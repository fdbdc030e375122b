(** What must hold in every state. *)

val broken : Fault.rules -> State.t -> string option
(** What does not. *)

val at_rest : State.t -> bool
(** No domain is in the middle of something. *)
