(** What programs and messages say. *)

val contains : string -> string -> bool
(** [contains text part]: is it somewhere in there? *)

val on_stderr : ((unit -> string) -> unit) -> string
(** [on_stderr f] is what the process writes to its stderr, past all channels,
    while [f] runs; [f] is given a function that reads what is there so far. One
    at a time. *)
