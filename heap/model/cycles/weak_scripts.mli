(** Programs without choice, with weak pointers and finalisers. *)

val told : State.op list

(** {1 Programs} *)

val read_weakly : Scenario.t
val nobody_reads : Scenario.t
val data_of_key : Scenario.t
val data_is_read : Scenario.t
val key_is_set : Scenario.t
val keys_of_data : Scenario.t
val private_weak : Scenario.t
val private_data : Scenario.t
val weak_suspended : Scenario.t
val weak_apart : Scenario.t
val two_keys : Scenario.t
val one_is_set : Scenario.t
val last : Scenario.t
val revived : Scenario.t

val scripted : Scenario.t list
(** All programs above. *)
