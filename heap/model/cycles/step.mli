(** The next steps of a state. *)

val next : Rules.t -> Scenario.t -> State.t -> (Label.t * State.t) list
