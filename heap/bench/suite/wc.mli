(** The words, lines and bytes of a text, by a reduction over its characters. *)

val program : Program.t
