(** Triangulations that many tasks read, and change in different places. *)

type triangle = private {
  a : int;
  b : int;
  c : int;  (** corners, counter-clockwise *)
  mutable ab : triangle;
  mutable bc : triangle;
  mutable ca : triangle;  (** the neighbours along the edges *)
  owner : int Atomic.t;  (** the least point that wants to change it *)
}

type t = private {
  points : Plane.points;
  home : triangle array;
      (** of each point, one triangle that it is a corner of *)
}

val create : Plane.points -> t
(** Only the last three of the points are in it, and make a triangle, in which
    the others must lie. *)

val contains : t -> int -> bool
(** Whether the point is in the mesh. *)

val locate : t -> int -> near:int -> triangle
(** One that the first point is in or on the edge of, by walking there from the
    second, which is in the mesh. The mesh must be Delaunay. *)

(** {1 Insertion, in two phases}

    All that a point changes is its hole, the triangles in whose circles it
    lies, and the links to it from those along the rim. *)

type hole

val dig : t -> int -> triangle -> hole
(** [dig mesh p t]: of the point [p], in or on [t]. Reads. *)

val reserve : hole -> unit
(** For its point, against those of greater numbers. *)

val fill : t -> hole -> bool
(** Gives reservations back and, if all were held, makes the point a corner of
    the mesh. All reservations must be over before, and no two threads fill the
    same hole. A point that is in the mesh already is not put into it again, and
    [true]. *)

(** {1 Looking at it} *)

val around : t -> int -> (triangle -> unit) -> unit
(** Each triangle of a point, not one of the last three. *)

val iter : t -> (triangle -> unit) -> unit
(** Every triangle. *)
