(** One step of the n-body problem in the plane, after Barnes and Hut (1986): a
    far square of bodies counts as one body at the square's centre of mass. *)

type t
(** Bodies; immutable. *)

type tree

val random : int -> t
val tree : t -> tree

val accelerate : t -> tree -> float array -> int -> unit
(** Writes the acceleration of body [i] at [2 * i] and after. *)
