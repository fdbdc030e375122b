(** The functions that plugins offer to the program. Any domain may call the
    registry. *)

exception Refused of string

val add : string -> (int -> string list) -> unit
val find : string -> int -> string list
