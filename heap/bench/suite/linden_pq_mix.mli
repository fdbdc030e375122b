(** Tasks that compute, push their results and pop the first element. *)

val program : Program.t
