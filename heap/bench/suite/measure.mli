(** One measurement of one program, in this process. *)

val main : unit -> unit
(** By the command line: prints one line of JSON, of which README.md says what
    is in it. *)
