(** What tasks do by themselves between operations on what they share. *)

val page : int -> int list
(** Sixteen numbers that depend on the argument, in order: some allocation. *)

val weight : int list -> int
(** Their sum. *)
