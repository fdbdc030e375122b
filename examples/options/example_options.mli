(** Values of options, and the exit status of a command. *)

open Cmdliner

val number : least:int -> most:int -> string -> int Arg.conv
(** [number ~least ~most what]: the message for another value says [what] the
    option wants, and from where to where. *)

val seconds : float Arg.conv
(** A time from 0 to an hour. *)

val positive : most:float -> string -> float Arg.conv
(** [positive ~most what]: above 0. *)

val status : int Cmd.t -> int
(** Evaluates the command. A bad command line has the status 2. *)
