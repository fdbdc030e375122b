(** The distinct words of a text, by a hash set that all tasks add to. *)

val program : Program.t
