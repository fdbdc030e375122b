(** A tree of versions of an array, grown and read in parallel. *)

val program : Program.t
