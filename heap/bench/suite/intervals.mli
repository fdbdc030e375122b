(** Intervals put into a tree, and points looked up in it. *)

val program : Program.t
