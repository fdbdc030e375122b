(** With what code of Picos is cancelled. *)

val exn : exn
(** What [Picos_std_structured] takes for the order to end, and thus not for a
    failure, where it is installed; [Dromos.Cancelled] else. *)
