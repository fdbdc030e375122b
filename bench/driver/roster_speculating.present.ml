let contestants = Bench_speculating.contestants
