(** The edges between the clusters of a low-diameter decomposition. *)

val program : Program.t
