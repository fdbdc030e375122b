(** Compares the results of the graph programs with simple sequential algorithms
    and with the definitions, with more workers than cores. *)

val tests : unit Alcotest.test_case list
