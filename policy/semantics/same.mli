(** Whether two pieces of a policy are the same text, wherever it stands. *)

val blocks : Core.block -> Core.block -> bool
