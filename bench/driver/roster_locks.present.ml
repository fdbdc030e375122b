let contestants = Bench_locks.contestants
