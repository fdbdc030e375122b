(** [sched_periodic], a periodic fiber beside four that compute without ever
    calling Dromos, and [preempt_cost], four that compute; under each scheduler,
    with each kind of preemption. *)

val contestants : Bench_core.Contestant.t list
