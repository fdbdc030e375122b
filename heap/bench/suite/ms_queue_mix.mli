(** Tasks that work, and pass what they made through one queue. *)

val program : Program.t
