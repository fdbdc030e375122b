(** The greatest sum of a contiguous piece, by reducing quadruples of floats. *)

val program : Program.t
