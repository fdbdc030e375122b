(** Scales and tick marks. *)

type t

val linear : from:float -> upto:float -> t
(** From 0 or below to a round number at or above. *)

val log : from:float -> upto:float -> t
(** Raises [Invalid_argument] unless [0 < from <= upto]. *)

val at : t -> float -> float
(** The place of a value, 0 at one end of the axis and 1 at the other. *)

val ticks : t -> (float * string) list
(** Values and labels. *)

val label : float -> string
