(** Scenarios for barriers and condition variables. *)

val barrier : (string * (Env.t -> unit)) list

val condition : (string * (Env.t -> unit)) list
(** In direct style only. *)
