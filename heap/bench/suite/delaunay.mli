(** The Delaunay triangulation of points in the plane: no circle through the
    corners of a triangle has a point inside. *)

val program : Program.t

val corners : Plane.points -> Plane.points
(** With three more points, far around coordinates of 0 to 2{^ 24} - 1. *)

val triangulate : (module Program.Fork) -> Plane.points -> Mesh.t
(** Of points with their {!corners}, inserted from first to last, which should
    be in random order. Which of several triangulations (of more than three
    points on a circle) depends on the points alone. *)
