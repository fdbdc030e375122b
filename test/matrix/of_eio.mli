(** Eio fibers, on Eio's loop on a domain of its own; and threads and runs on
    further threads of such a domain: where Eio is installed. *)

val kinds : Matrix.Party.kind list
