let contestants = Bench_preempting.contestants
