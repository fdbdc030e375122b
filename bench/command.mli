(** The command line of the lab. *)

val command : unit Cmdliner.Cmd.t
(** Raises [Failure] with a message for the user. *)
