(** The played cells as a table: pairs down, structures across. *)

val text : Play.played list -> string
val markdown : seed:int -> Play.played list -> string
val html : seed:int -> Play.played list -> string
