(** The kinds of tasks that are always available. *)

val all : Party.kind list
