(** Programs without choice, and the parts of the programs with choices. *)

val does : State.op list -> Scenario.program
val may : ?after:State.op list -> int -> Scenario.program
val plain : Scenario.t
val offered : State.op list

val scripts :
  ?domains:int ->
  ?static:bool ->
  ?world:bool ->
  string ->
  State.op list list ->
  Scenario.t

(** {1 Programs} *)

val lowered_beside : Scenario.t
val both_lower : Scenario.t
val half_pinned : Scenario.t
val outsider : Scenario.t
val lowered_and_joined : Scenario.t
val lowered_with_child : Scenario.t
val old_to_expired : Scenario.t
val expired_to_young : Scenario.t
val lowered_then_joined : Scenario.t
val published_again : Scenario.t
val leaves_in_dls : Scenario.t
val leaves_closure_in_dls : Scenario.t
val filled : Scenario.t
val filled_by_both : Scenario.t
val returns_old : Scenario.t
val withdrawn : Scenario.t
val stops : Scenario.t
val stops_between : Scenario.t
val filled_apart : Scenario.t
val lowered_apart : Scenario.t
val apart_twice : Scenario.t
val lowered_again : Scenario.t
val celled : Scenario.t
val older_first : Scenario.t
val older_first_below : Scenario.t
val apart_again_around : Scenario.t
val filled_beside : Scenario.t
val less_deep : Scenario.t
val deeper_around : Scenario.t
val apart_again : Scenario.t
val lowered_late : Scenario.t
val lowered_merged : Scenario.t
val lowered_stale : Scenario.t
val stolen_below : Scenario.t
val stolen_join : Scenario.t

val scripted : Scenario.t list
(** All programs above. *)
