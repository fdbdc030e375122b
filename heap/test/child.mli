(** Runs this program again, with an argument, for cases in which a process has
    to end. *)

val again : ?before:string -> string -> Unix.process_status * string
(** [again ~before name] runs the shell command [before], then this program with
    the argument [name]. The result is the exit status and the text written to
    stderr. *)

val said : Unix.process_status -> string
