(** The least squares line through points, as pairs of floats. *)

val program : Program.t
