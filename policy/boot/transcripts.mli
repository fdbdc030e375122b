(** Reads the report of a guest. A line is a word, then fields [key=value]. *)

val of_lines : string list -> Transcript.t
(** Reads a report. A line of an unknown form becomes a note. *)

val scheduler_name : Transcript.scheduler -> string

val put_out : Transcript.exit -> bool
(** True if the kernel ended the scheduler, and not the loader. *)
