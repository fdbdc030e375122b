(** The words of a text, each a string. *)

val program : Program.t
