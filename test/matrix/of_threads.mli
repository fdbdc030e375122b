(** Tasks without a scheduler. *)

val systhreads : Party.kind
(** Systhreads of the main domain, one for each task. *)

val domains : Party.kind
(** Each task is alone on a domain; domains are reused. *)
