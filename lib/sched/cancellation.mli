(** [true] if forks by {!Pval} check for cancellation. A constant, so that the
    compiler drops the unused code: the benchmarks compile {!Pval} with [false]
    to measure the cost of cancellation. *)

val compiled_in : bool
