let families =
  [
    (Suite.general, Bench_moonpool.Entry.contestants);
    ("switching", Bench_switching_moonpool.contestants);
  ]
