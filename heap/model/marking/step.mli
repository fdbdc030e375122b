(** What may happen next. *)

val next : Rule.rules -> Scenario.t -> State.t -> (Label.t * State.t) list
