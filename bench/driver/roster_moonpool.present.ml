let contestants = Bench_moonpool.Entry.contestants
