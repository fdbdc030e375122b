(** Delaunay triangulations, by definition where they are small and by what
    adjacent triangles must be where they are large; by more workers than there
    are cores. *)

val tests : unit Alcotest.test_case list
