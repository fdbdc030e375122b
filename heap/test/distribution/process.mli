(** Runs programs with a time limit. *)

val run :
  limit_s:int ->
  settings:(string * string) list ->
  stdin:string ->
  stdout:string ->
  stderr:string ->
  string list ->
  Unix.process_status
(** Adds [settings] to the environment. Stdout and stderr may share a file,
    interleaved; the name [""] drops the output. *)

val describe : Unix.process_status -> string

val too_long : string
(** The description of a program that exceeded its time limit. *)
