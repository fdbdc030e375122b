(** The properties that hold in every state. *)

val broken : Rule.rules -> State.t -> string option
val at_rest : State.t -> bool
