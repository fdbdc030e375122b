(** Systhreads that wait for each other by [Stdlib.Mutex], [Stdlib.Condition]
    and [Stdlib.Semaphore]. *)

val growing : (string * Bench_core.Contestant.job) list

val contended : workers:int -> (string * Bench_core.Contestant.job) list
(** On one domain, or on two if [workers] is more than one. *)
