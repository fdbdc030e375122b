(** Compares two parts of a policy, wherever they stand in the text. *)

val blocks : Core.block -> Core.block -> bool
