(** Scenarios for [Lazy]: one computes, the others wait for it. *)

val scenarios : (string * (Env.t -> unit)) list
