(** A generated file. *)

val print : Format.formatter -> string -> Toplevel.file -> unit
(** With the path of its source, for the heading. *)
