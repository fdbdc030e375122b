let contestants = Bench_switching.contestants
