(** The product of a sparse matrix, with rows of pairs, and a vector. *)

val program : Program.t
