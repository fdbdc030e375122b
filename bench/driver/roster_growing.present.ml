let contestants = Bench_growing.contestants
