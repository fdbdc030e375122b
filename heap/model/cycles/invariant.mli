(** The properties that hold in every state. *)

val broken : Rules.t -> State.t -> string option
val at_rest : State.t -> bool
