(** The structures in more domains than there are cores, with garbage made
    meanwhile, so that collections come in between. *)

val tests : unit Alcotest.test_case list
