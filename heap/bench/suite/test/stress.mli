(** Tests the structures in more domains than cores, with garbage between the
    operations to cause collections. *)

val tests : unit Alcotest.test_case list
