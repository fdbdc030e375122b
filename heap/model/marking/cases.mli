(** The programs that are searched. *)

val small : Scenario.t list
(** Seconds in all. *)

val large : Scenario.t list
(** Minutes. *)
