(** Growth, of programs in plain OCaml, without tasks. *)

val jobs : (string * Bench_core.Contestant.job) list
