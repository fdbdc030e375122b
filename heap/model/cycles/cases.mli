(** The programs of the search. *)

val small : Scenario.t list
(** All together take seconds. *)

val large : Scenario.t list
(** All together take minutes. *)
