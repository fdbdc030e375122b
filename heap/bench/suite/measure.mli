(** A single measurement of a program, in the calling process. *)

val main : unit -> unit
(** Reads the command line, and prints one line of JSON; README.md describes its
    fields. *)
