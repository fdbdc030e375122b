(** The distinct words of a text, in a hash set shared by all tasks. *)

val program : Program.t
