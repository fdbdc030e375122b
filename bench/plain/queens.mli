(** Placing n queens, as sets of columns and diagonals in bits. *)

val count : all:int -> int -> int -> int -> int
(** [count ~all columns left right]: the ways to complete a board, [all] having
    a bit for each column. *)

val full : int -> int
(** The [all] of a board of that size. *)

val find :
  check:(unit -> unit) ->
  all:int ->
  int ->
  int ->
  int ->
  int list ->
  int list option
(** [find ~check ~all columns left right path]: the first solution that goes on
    from [path], the places of the rows so far as bits, the last row first.
    [check] is called once for each row that is reached. *)

val solves : int -> int list -> bool
