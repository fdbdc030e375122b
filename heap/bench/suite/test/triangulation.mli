(** Checks Delaunay triangulations: small ones by the definition, large ones by
    the condition on adjacent triangles, with more workers than cores. *)

val tests : unit Alcotest.test_case list
