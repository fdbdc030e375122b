(** The next steps of a state: an operation of a task, one access to shared
    memory, a collection, or a domain that takes a task. *)

val next : Fault.rules -> Scenario.t -> State.t -> (Label.t * State.t) list
