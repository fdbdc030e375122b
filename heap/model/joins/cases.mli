(** The programs of the search, and a program for each fault. *)

val small : Scenario.t list
(** All together take seconds. *)

val large : Scenario.t list
(** All together take minutes, and gigabytes of memory. *)

val faults : (Fault.rules * Scenario.t) list
(** Each fault, with the program that shows the fault. The first fault is the
    protocol that {!Fault.Exclusive} replaces. *)

val lowering : Scenario.t list
(** Small programs again, with fences in stores. *)

val second_look : Scenario.t list
(** The programs for which the protocol [Second_look] holds. *)
