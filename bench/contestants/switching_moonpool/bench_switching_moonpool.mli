val contestants : Bench_core.Contestant.t list
