(** The programs of the suite. *)

val all : Program.t list
val find : string -> Program.t option
