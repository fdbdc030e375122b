(** Tasks that compute, and add, look up and remove keys of one ordered list. *)

val program : Program.t
