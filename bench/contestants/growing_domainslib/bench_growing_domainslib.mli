(** The benchmarks of growth for which Domainslib has a program: loops over
    elements, tasks, tasks nested in tasks, and a graph of promises. *)

val contestants : Bench_core.Contestant.t list
