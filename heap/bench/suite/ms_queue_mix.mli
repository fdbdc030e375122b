(** Tasks that compute, and pass their results through one queue. *)

val program : Program.t
