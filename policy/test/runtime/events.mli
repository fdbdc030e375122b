(** Random events, one by one, for both machines of a pair: calls of the hub's
    kernel, and the events with the same meaning for the semantics. *)

val next : Random.State.t -> Pair.t -> string
(** Makes a possible event, and returns its name. *)
