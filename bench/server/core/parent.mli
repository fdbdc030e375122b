(** The end of standard input, by which the starter of a server stops the
    server. Standard input ends even if the starter was killed. *)

val watch : ?patience:float -> (unit -> unit) -> unit
(** [watch stop] calls [stop ()] on a thread of its own after standard input has
    ended. [watch] ends the process if the process is still alive [patience]
    seconds (3) later. *)
