(** [raytracer] by a gang, [barnes_hut], [sched_msort] and [bitonic] by parallel
    bindings. *)

val contestants : Bench_core.Contestant.t list
