(** Programs without choice, and the parts of the programs with choices. *)

val may : ?after:State.op list -> State.value list -> int -> Scenario.program
val plain : Scenario.t
val idle : Scenario.program
val variable : State.value list
val does : State.value list -> State.op list -> Scenario.program
val scripts : string -> State.op list list -> Scenario.t
val takes_out : State.op list
val tasks : string -> Scenario.program list -> Scenario.t
val root : State.op list -> Scenario.program
val branch : State.op list -> Scenario.program

(** {1 Programs} *)

val no_barrier : Scenario.t
val stale : Scenario.t
val leaves_it : Scenario.t
val handed_on : Scenario.t
val publishes : Scenario.t
val keeps_privately : Scenario.t
val takes_room : Scenario.t
val greyed_late : Scenario.t
val greyed_later : Scenario.t
val swept_late : Scenario.t
val late_for_the_end : Scenario.t
val greets_late : Scenario.t
val lent : Scenario.t
val out_of_lent : Scenario.t
val joined : Scenario.t
val apart_late : Scenario.t
val apart_dead : Scenario.t
val waiting : Scenario.t
val to_dls : Scenario.t
val into_joined : Scenario.t
val in_c : Scenario.t
val result : Scenario.t
val offered : Scenario.t
val spawned : Scenario.t
val ended : Scenario.t
val ended_late : Scenario.t
val finalised : Scenario.t
val left_alone : Scenario.t

val scripted : Scenario.t list
(** All programs above. *)
