(** Growth of fibers and structures: [n] items of each kind. *)

val jobs : workers:int -> (string * Bench_core.Contestant.job) list
