(** Whether forks by {!Pval} know cancellation. A constant, so that the compiler
    drops what is not wanted: the benchmarks compile {!Pval} with another one to
    show what cancellation costs. *)

val compiled_in : bool
