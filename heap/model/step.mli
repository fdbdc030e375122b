(** What can happen next: an operation of a task, one access to shared memory, a
    collection, a domain that takes up a task. *)

val next : Fault.rules -> Scenario.t -> State.t -> (Label.t * State.t) list
