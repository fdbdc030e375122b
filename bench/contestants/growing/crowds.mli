(** Growth, of what waits: [n] fibers in the line of one structure, which then
    serves all of them, or is left by all of them. *)

val jobs : workers:int -> (string * Bench_core.Contestant.job) list
