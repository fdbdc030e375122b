(** Programs without choice, whose leaves are collected: several keys, private
    ones, remembered fields, chunks that stay as they are, large objects. *)

val regs : State.value list
val in_cycle : string -> State.op list -> Scenario.t

val collected : string -> State.op list -> Scenario.t
(** By one task with four registers, where chunks matter. *)

val makes_keys : State.op list
(** Of a weak object in register 2: what the variable has, and a private one, in
    register 1. The data is private. *)

val shared_dies : Scenario.t
val shared_lives : Scenario.t

(** {1 Programs} *)

val private_key : Scenario.t
val private_keys : Scenario.t
val data_elsewhere : Scenario.t
val data_is_key : Scenario.t
val old_to_young : Scenario.t
val expired_to_young : Scenario.t
val remembered : Scenario.t
val dead_holder : Scenario.t
val stays : Scenario.t
val stays_again : Scenario.t
val large : Scenario.t
val large_apart : Scenario.t

val scripted : Scenario.t list
(** All of them, but for the first two. *)
