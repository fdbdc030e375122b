(** Programs without choice, with continuations. *)

val resumed : Scenario.t
val lent_with : Scenario.t
val stranded : Scenario.t

val scripted : Scenario.t list
(** All programs above. *)
