let contestants = Bench_switching_moonpool.contestants
