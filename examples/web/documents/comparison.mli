(** A job: all documents with each other, by {!Similar}. *)

type each = int -> (int -> unit) -> unit
(** [each n f] is [f 0] to [f (n - 1)], in any order, in parallel or not. *)

type progress
(** Comparisons, counted by whoever makes them and read by whoever likes. *)

val progress : unit -> progress

val told : progress -> int * int
(** How many are done, of how many; (0, 0) before it begins. *)

val step : progress -> int -> unit
val total : progress -> int -> unit

val pairs :
  each -> progress -> at_least:float -> Store.document array -> Store.pair list
(** By numbers of the documents, [a] before [b] in the array. The work is cut in
    sixteen pieces, and inside of one nothing of Dromos is called. *)
