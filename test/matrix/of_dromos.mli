(** Fibers of Dromos, on one hub, in a run of one or two workers on a domain of
    its own. *)

val kinds : Party.kind list
(** A kind for each hub. *)

val threads : Party.kind
(** Systhreads of a domain that also runs Dromos. *)
