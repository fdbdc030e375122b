(** Points of the plane with integer coordinates, and exact predicates on their
    position. *)

type points = { x : int array; y : int array }

val limit : int
(** The largest difference of two coordinates: 2{^ 27}. *)

val left_of : points -> int -> int -> int -> int
(** [left_of p a b c] is positive if [c] is to the left of the line from [a] to
    [b], negative if to the right, 0 if on it. *)

val in_circle : points -> int -> int -> int -> int -> int
(** [in_circle p a b c d] is positive if [d] is within the circle through [a],
    [b], [c] (counter-clockwise), negative if outside, 0 if on the circle. *)

val in_circle_exactly : points -> int -> int -> int -> int -> int
(** Computes {!in_circle} exactly and slowly, as {!in_circle} does near 0. *)
