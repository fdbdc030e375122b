(** Tasks without a scheduler. *)

val systhreads : Party.kind
(** Of the main domain, a thread for each task. *)

val domains : Party.kind
(** Each task is alone on a domain; domains are used again. *)
