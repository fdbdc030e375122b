(** Lwt, with its engine on a domain of its own. Only one at a time: Lwt's main
    loop is the process's. *)

val kind : Party.kind
