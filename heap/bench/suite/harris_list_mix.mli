(** Tasks that work, and add to, look into and remove from one ordered list. *)

val program : Program.t
