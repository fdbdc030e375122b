(** The cycle: handshakes, tracing, the sweep. *)

type steps = (Heap_model.Label.t * State.t) list

val answer : Rule.rules -> State.t -> int -> steps
(** A domain at a safe point sees the phase: it turns its barriers on, scans,
    gives its buffer, sees the end. *)

val step : Rule.rules -> Scenario.t -> State.t -> steps
(** The collector's own. *)
