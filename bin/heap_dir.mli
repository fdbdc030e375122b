(** [dromos heap dir]: prints the folder of the runtime variant [_hh]. *)

val cmd : int Cmdliner.Cmd.t
