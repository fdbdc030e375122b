(** What can happen next: an operation of a program, one access to shared
    memory, an answer, a step of the collector. *)

val next :
  Rule.rules -> Scenario.t -> State.t -> (Heap_model.Label.t * State.t) list
