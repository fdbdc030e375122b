(** The words of a text, as strings. *)

val program : Program.t
