let contestants = Bench_switching_eio.contestants
