(** Placing n queens, as sets of columns and diagonals in bits. *)

val count : all:int -> int -> int -> int -> int
(** [count ~all columns left right]: the ways to complete a board, [all] having
    a bit for each column. *)

val full : int -> int
(** The [all] of a board of that size. *)
