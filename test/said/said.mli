(** The output of programs, and the texts of messages. *)

val contains : string -> string -> bool
(** [contains text part] is true if [part] occurs in [text]. *)

val on_stderr : ((unit -> string) -> unit) -> string
(** [on_stderr f] is the output of the process on stderr, from all channels,
    while [f] runs; [f] gets a function that reads the output so far. One call
    at a time. *)
