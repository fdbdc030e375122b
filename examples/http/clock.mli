(** A clock that only goes forward. *)

val now : unit -> float
(** Seconds. *)
