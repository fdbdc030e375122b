(** What a boot comes to, for people: a table, and what went wrong. *)

val pp : name:string -> Boot.outcome Fmt.t
(** [name] is the policy's. *)
