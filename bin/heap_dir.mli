(** [dromos heap dir]: where the runtime variant [_hh] lies. *)

val cmd : int Cmdliner.Cmd.t
