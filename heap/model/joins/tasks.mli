(** Searches the programs of {!Cases}. *)

val run : ?limit:int -> Fault.rules -> Scenario.t -> Search.result
