(** The properties that must hold in every state. *)

val broken : Fault.rules -> State.t -> string option
(** The property that the state violates, if any. *)

val at_rest : State.t -> bool
(** No domain is in the middle of an operation. *)
