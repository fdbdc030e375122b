let contestants = Bench_picos.Entry.contestants
