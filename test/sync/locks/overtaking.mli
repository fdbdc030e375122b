(** A running task overtakes the waiters of a mutex, and how often. *)

val cases : unit Alcotest.test_case list
