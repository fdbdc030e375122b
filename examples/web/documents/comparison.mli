(** A job that compares all documents with each other, by {!Similar}. *)

type each = int -> (int -> unit) -> unit
(** [each n f] is [f 0] to [f (n - 1)], in any order, in parallel or not. *)

type progress
(** The number of comparisons so far. The comparing threads write the number,
    and any thread may read it. *)

val progress : unit -> progress

val told : progress -> int * int
(** The number of comparisons done, and of all; (0, 0) before the beginning. *)

val step : progress -> int -> unit
val total : progress -> int -> unit

val pairs :
  each -> progress -> at_least:float -> Store.document array -> Store.pair list
(** The similar pairs, by numbers of the documents, [a] before [b] in the array.
    The work is cut in sixteen pieces; inside a piece, no function of Dromos is
    called. *)
