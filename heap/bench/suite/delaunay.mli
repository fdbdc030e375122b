(** The Delaunay triangulation of points in the plane: the circle through the
    corners of a triangle contains no further point. *)

val program : Program.t

val corners : Plane.points -> Plane.points
(** Adds three points, far outside the square of coordinates from 0 to 2{^ 24} -
    1. *)

val triangulate : (module Program.Fork) -> Plane.points -> Mesh.t
(** Triangulates points with their {!corners}, inserted from first to last; a
    random order is best. If several triangulations exist (more than three
    points on a circle), the points alone determine the choice. *)
