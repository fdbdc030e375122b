(** The least squares line through points, pairs of floats. *)

val program : Program.t
