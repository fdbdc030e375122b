(** Scenarios for [Lazy]: one task computes, the others wait for the value. *)

val scenarios : (string * (Env.t -> unit)) list
