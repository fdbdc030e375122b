(** [sched_fib]: Fibonacci with a parallel binding for every addition. *)

val contestants : Bench_core.Contestant.t list
