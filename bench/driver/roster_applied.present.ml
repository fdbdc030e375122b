let contestants = Bench_applied.contestants
