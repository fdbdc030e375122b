(** A running task overtakes the waiters of a mutex; tests of how often. *)

val cases : unit Alcotest.test_case list
