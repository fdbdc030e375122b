let contestants = Bench_switching_picos.contestants
