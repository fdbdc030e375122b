(** Prints definitions for Coq, in the notations of Iris's HeapLang. *)

val definition : Format.formatter -> Heaplang.definition -> unit
val comment : Format.formatter -> string -> unit
