(** Triangulations that many tasks read, and change in different places. *)

type triangle = private {
  a : int;
  b : int;
  c : int;  (** corners, counter-clockwise *)
  mutable ab : triangle;
  mutable bc : triangle;
  mutable ca : triangle;  (** the neighbours along the edges *)
  owner : int Atomic.t;  (** the least point that wants to change the triangle *)
}

type t = private {
  points : Plane.points;
  home : triangle array;
      (** a triangle for each point, with the point as a corner *)
}

val create : Plane.points -> t
(** A mesh of the last three points, as one triangle. The remaining points must
    lie inside the triangle; [create] does not insert them. *)

val contains : t -> int -> bool
(** [true] if the point is in the mesh. *)

val locate : t -> int -> near:int -> triangle
(** [locate mesh p ~near] is a triangle with [p] inside or on an edge. The
    search walks from [near], a point of the mesh. The mesh must be Delaunay. *)

(** {1 Insertion, in two phases}

    A new point changes only its hole (the triangles whose circles contain the
    point) and the links from the triangles along the hole's rim. *)

type hole

val dig : t -> int -> triangle -> hole
(** [dig mesh p t] is the hole of the point [p], which lies inside or on [t].
    The call only reads. *)

val reserve : hole -> unit
(** Reserves the hole's triangles for its point; if points compete, the least
    number wins. *)

val fill : t -> hole -> bool
(** Gives the reservations back. If the point held all of them, makes the point
    a corner of the mesh and returns [true]. All calls of [reserve] must have
    ended before, and each hole is filled by one thread only. A point that is in
    the mesh already is not inserted again, and the result is [true]. *)

(** {1 Traversal} *)

val around : t -> int -> (triangle -> unit) -> unit
(** Visits each triangle of a point, which is not one of the last three. *)

val iter : t -> (triangle -> unit) -> unit
(** Visits every triangle. *)
