(** Eio fibers, on Eio's loop on a domain of its own: where Eio is installed. *)

val kinds : Matrix.Party.kind list
