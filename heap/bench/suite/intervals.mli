(** Puts intervals into a tree, and looks points up in the tree. *)

val program : Program.t
