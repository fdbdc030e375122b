(** The next steps of a state. *)

val next : Rule.rules -> Scenario.t -> State.t -> (Label.t * State.t) list
