(** The programs that are searched, and which of them shows which fault. *)

val small : Scenario.t list
(** Seconds in all. *)

val large : Scenario.t list
(** Minutes, and gigabytes. *)

val faults : (Fault.rules * Scenario.t) list
(** Each is shown by its program. The first is the protocol that
    {!Fault.Exclusive} replaces. *)

val lowering : Scenario.t list
(** Small ones again, where stores run fences. *)

val second_look : Scenario.t list
(** Where that protocol does hold. *)
