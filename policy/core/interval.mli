(** Intervals of integers, for {!Ranges}. Each operation gives an interval that
    holds every result of the operation on members of its operands, if no number
    passes 63 bits. A bound beyond 2{^ 60} becomes unknown. Constant time. *)

type t = { least : int option; most : int option }
(** [None]: no bound is known on this side. *)

val unbounded : t
val exactly : int -> t
val at_least : int -> t

val is_natural : t -> bool
(** True if no member is negative. *)

val hull : t -> t -> t
(** The least interval that contains both intervals. *)

val meet : t -> t -> t option
(** The common members; [None] if there are none. *)

val widen : t -> t -> t
(** [widen before now] drops each bound of [before] that [now] passes. *)

(** {1 Arithmetic of the language} *)

val sum : t -> t -> t
val opposite : t -> t
val product : t -> t -> t

val square : t -> t
(** The product of a number with itself. *)

val quotient : t -> t -> t
(** Division toward 0; a division by 0 gives 0. *)

val remainder : t -> t -> t
(** A division by 0 gives the dividend. *)

val bit_and : t -> t -> t
val bit_or : t -> t -> t

(** {1 Comparisons} *)

val below : t -> t
(** The numbers less than some member. *)

val above : t -> t
