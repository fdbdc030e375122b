(** Tasks that work, push what they made and pop what is first. *)

val program : Program.t
