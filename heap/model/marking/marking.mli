(** The search of the programs of {!Cases}. *)

val run : ?limit:int -> Rule.rules -> Scenario.t -> Heap_model.Search.result
