(** Placing n queens, as sets of columns and diagonals in bits. *)

val count : all:int -> int -> int -> int -> int
(** [count ~all columns left right]: the number of ways to complete a board;
    [all] has a bit for each column. *)

val full : int -> int
(** The [all] of a board of the given size. *)

val find :
  check:(unit -> unit) ->
  all:int ->
  int ->
  int ->
  int ->
  int list ->
  int list option
(** [find ~check ~all columns left right path]: the first solution that
    continues [path], the places of the rows so far as bits, last row first.
    [find] calls [check] once for each row. *)

val solves : int -> int list -> bool
