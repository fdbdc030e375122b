(** The results of a boot, for people: a table, and the problems. *)

val pp : name:string -> Boot.outcome Fmt.t
(** [name] is the policy's name. *)
