(** A sparse matrix, rows of pairs, times a vector. *)

val program : Program.t
