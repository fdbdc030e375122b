(** Scenarios for readers beside writers. *)

val scenarios : (string * (Env.t -> unit)) list
