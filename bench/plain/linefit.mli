(** Least squares through points with integer coordinates. The sums are exact in
    floating point, so the order of additions does not matter. *)

type points = { x : floatarray; y : floatarray }
type sums = { x : float; y : float; xx : float; xy : float }

val random : int -> points
val sums : points -> int -> int -> sums
val join : sums -> sums -> sums

val slope : int -> sums -> float
(** [slope n sums]. *)
