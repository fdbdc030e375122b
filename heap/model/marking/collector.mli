(** [cycle.c]: the stages of a cycle. Who drives it is nobody's matter: the
    collector has steps of its own. *)

type steps = (Label.t * State.t) list

val answer : Rule.rules -> State.t -> int -> steps
(** A domain at a safe point, or whoever holds its lock for it. *)

val step : Rule.rules -> Scenario.t -> State.t -> steps

val adopt : State.t -> int -> steps
(** A program of one heap collects what was everybody's. *)
