(** Arithmetic on integers of the machine's width. *)

(** {1 Operations that detect overflow} *)

val add : int -> int -> int option
val sub : int -> int -> int option
val mul : int -> int -> int option

(** {1 Division}

    Division rounds toward 0. Division by 0 has a value, as in BPF (RFC 9669,
    section 4.1): the quotient is 0, the remainder is the dividend. *)

val quotient : int -> int -> int
val remainder : int -> int -> int
