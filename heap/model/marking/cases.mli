(** The programs that are searched, and which of them shows which fault. *)

val small : Scenario.t list
(** Seconds in all. *)

val large : Scenario.t list
(** Minutes. *)

val faults : (Rule.t * Scenario.t) list
(** What shows that the rule is needed. *)
