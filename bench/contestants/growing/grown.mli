(** Growth, of fibers: [n] of everything. *)

val jobs : workers:int -> (string * Bench_core.Contestant.job) list
