(** Where plugins leave what the program calls. Any domain may. *)

exception Refused of string

val add : string -> (int -> string list) -> unit
val find : string -> int -> string list
