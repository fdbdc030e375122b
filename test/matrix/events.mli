(** Scenarios for choices between events of several structures. *)

val scenarios : (string * (Env.t -> unit)) list
