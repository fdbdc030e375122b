(** The maximum contiguous subsequence sum (possibly empty). *)

type part = { sum : int; prefix : int; suffix : int; best : int }
(** Of a piece: its sum, and the best sums of its prefixes, suffixes and pieces.
*)

val random : int -> int array
val part : int array -> int -> int -> part
val join : part -> part -> part

val best : int array -> int
(** Kadane's loop. *)
