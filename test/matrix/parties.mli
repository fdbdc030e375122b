(** The kinds of tasks that are always there. *)

val all : Party.kind list
