(** Arithmetic on numbers of the machine's width that says where a result does
    not fit. *)

val add : int -> int -> int option
val sub : int -> int -> int option
val mul : int -> int -> int option
