(** Programs that have to end: this one again, with an argument. *)

val again : ?before:string -> string -> Unix.process_status * string
(** [again name]: with that argument, after a command of the shell. Its status,
    and what it wrote to stderr. *)

val said : Unix.process_status -> string
