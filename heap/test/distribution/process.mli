(** Running programs, for so long. *)

val run :
  limit_s:int ->
  settings:(string * string) list ->
  stdin:string ->
  stdout:string ->
  stderr:string ->
  string list ->
  Unix.process_status
(** With [settings] in the environment. Both outputs may go to one file, as they
    come; [""] is none. *)

val describe : Unix.process_status -> string

val too_long : string
(** What [describe] says of a program that was ended because of its time. *)
