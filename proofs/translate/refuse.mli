(** Refuses code outside the subset, with the place and with advice on what to
    write instead. *)

exception Refused of Location.t * string

val refuse : Location.t -> ('a, unit, string, 'b) format4 -> 'a
(** [refuse loc "reason: what to write instead"] raises {!Refused}. *)

val message : Location.t -> string -> string
(** [file:line:column: reason]. *)
