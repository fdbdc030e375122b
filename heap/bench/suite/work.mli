(** The private work of tasks between operations on shared structures. *)

val page : int -> int list
(** Sixteen numbers in order, determined by the argument: some allocation. *)

val weight : int list -> int
(** The sum of the numbers. *)
