(** All pointers of a state. *)

val map : (State.place -> State.value -> State.value) -> State.t -> State.t
val iter : (State.place -> State.value -> unit) -> State.t -> unit
