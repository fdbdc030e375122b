(** What must hold in every state: no pointer to what was freed, and what is
    shared is reached as it should be. *)

val broken : Rule.rules -> State.t -> string option
val at_rest : State.t -> bool
