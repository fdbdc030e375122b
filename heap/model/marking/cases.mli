(** The programs that are searched, and which of them shows which fault. *)

val small : Scenario.t list
(** Seconds in all. *)

val flipped : Scenario.t list
(** Of these, with two cycles: {!Rule.flips}. *)

val large : (Rule.rules * Scenario.t) list
(** Minutes. *)

val faults : (Rule.rules * Rule.t * Scenario.t) list
(** These rules without that one. *)
