(** Searches the programs of {!Cases}. *)

val run : ?limit:int -> Rule.rules -> Scenario.t -> Search.result
