(** Programs without choice in which chunks matter. *)

val back : Scenario.t
val again : Scenario.t
val weak_again : Scenario.t
val key_again : Scenario.t
val last_again : Scenario.t
val holes : Scenario.t
val expired : Scenario.t
val young : Scenario.t

val scripted : Scenario.t list
(** All programs above. *)
