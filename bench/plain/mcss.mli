(** The maximum contiguous subsequence sum (possibly empty). *)

type part = { sum : int; prefix : int; suffix : int; best : int }
(** The sum of a piece, and the best sums of the piece's prefixes, suffixes and
    contiguous parts. *)

val random : int -> int array
val part : int array -> int -> int -> part
val join : part -> part -> part

val best : int array -> int
(** Kadane's loop. *)
