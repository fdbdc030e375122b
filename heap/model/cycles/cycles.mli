(** Searches the programs of {!Cases}. *)

val run : ?limit:int -> Rules.t -> Scenario.t -> Search.result
