(** Words that structures allocate for each waiter, by the number of waiters. *)

val cases : unit Alcotest.test_case list
