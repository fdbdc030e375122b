(** The results of a boot, for people: a table, and the problems. *)

val pp : name:string -> Outcome.t Fmt.t
(** [name] is the policy's name. *)
