(** Programs without choice whose leaves are collected: several keys, private
    keys, remembered fields, chunks that stay in place, large objects. *)

val regs : State.value list
val in_cycle : string -> State.op list -> Scenario.t

val collected : string -> State.op list -> Scenario.t
(** A program of one task with four registers, in which chunks matter. *)

val makes_keys : State.op list
(** Makes a weak object in register 2 with two keys: the object of the variable,
    and a private object in register 1. The data is private. *)

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
(** All programs, except the first two. *)
