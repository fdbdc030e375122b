(** Dense matrices as arrays of rows, and the row steps of two algorithms on
    them. *)

type t = float array array

val random : seed:int -> int -> t
(** Square; the diagonal dominates, so that elimination needs no pivoting. *)

val zero : int -> t

val eliminate : t -> int -> int -> unit
(** [eliminate a k i] subtracts from row [i] the multiple of row [k] that clears
    column [k], and keeps the factor in column [k]; for [i > k]. *)

val lu : t -> unit
(** In place: [L] below the diagonal (the diagonal of [L] is 1), [U] on and
    above the diagonal. *)

val row_product : t -> t -> t -> int -> unit
(** [row_product c a b i] sets row [i] of [c], zero before, to row [i] of
    [a * b]. *)

val product : t -> t -> t -> unit
val checksum : t -> int
