(** What the programs on graphs find, against simple sequential algorithms and
    by definition; by more workers than there are cores. *)

val tests : unit Alcotest.test_case list
