(** Programs with choices, in which chunks matter and leaves are collected. The
    first number is the fuel of the first task, the second number the fuel of
    another task. *)

val chunks : int -> int -> Scenario.t
val again : int -> int -> Scenario.t
val again_twice : int -> int -> Scenario.t
val told_again : int -> int -> Scenario.t
val again_in_chunks : int -> int -> Scenario.t
val several_keys : int -> int -> Scenario.t
val remembered : int -> int -> Scenario.t
val staying : int -> int -> Scenario.t
val large_ones : int -> int -> Scenario.t
