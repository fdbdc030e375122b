(** [cycle.c]: the stages of a cycle. The collector takes steps of its own: the
    model does not say which domain drives the cycle. *)

type steps = (Label.t * State.t) list

val answer : Rules.t -> State.t -> int -> steps
(** A domain answers the present stage at a safe point, or a holder of the
    domain's lock answers in its place. *)

val step : Rules.t -> Scenario.t -> State.t -> steps

val adopt : State.t -> int -> steps
(** When one heap is left, that heap adopts all shared objects in a full
    collection. *)
