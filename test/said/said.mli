(** What programs and messages say. *)

val contains : string -> string -> bool
(** [contains text part]: is it somewhere in there? *)
