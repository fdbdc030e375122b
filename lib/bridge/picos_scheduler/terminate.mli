(** The exception with which code of Picos is cancelled. *)

val exn : exn
(** The exception by which [Picos_std_structured] orders a fiber to end, and
    which does not count as a failure; [Dromos.Cancelled] where
    [Picos_std_structured] is not installed. *)
