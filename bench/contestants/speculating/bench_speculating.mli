(** [queens_por]: some solution of the n queens, after Manticore's section 7.4.
*)

val contestants : Bench_core.Contestant.t list
