(** The search of the programs of {!Cases}. *)

val run : ?limit:int -> Fault.rules -> Scenario.t -> Search.result
