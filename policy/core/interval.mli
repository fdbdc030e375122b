(** Intervals of integers, for {!Ranges}. Each operation gives an interval that
    holds every result of the operation on members of its operands, supposing
    that no number passes 63 bits; a bound past 2{^ 60} is not known. Constant
    time. *)

type t = { least : int option; most : int option }
(** [None]: no bound is known on that side *)

val unbounded : t
val exactly : int -> t
val at_least : int -> t

val is_natural : t -> bool
(** no member is negative *)

val hull : t -> t -> t
(** the least interval that holds both *)

val meet : t -> t -> t option
(** [None]: they have no member in common *)

val widen : t -> t -> t
(** [widen before now]: a bound of [before] that [now] passes is given up *)

(** {1 Arithmetic of the language} *)

val sum : t -> t -> t
val opposite : t -> t
val product : t -> t -> t

val square : t -> t
(** of a number with itself *)

val quotient : t -> t -> t
(** toward 0; 0 by 0 *)

val remainder : t -> t -> t
(** the dividend by 0 *)

val bit_and : t -> t -> t
val bit_or : t -> t -> t

(** {1 What a comparison says} *)

val below : t -> t
(** the numbers less than some member *)

val above : t -> t
