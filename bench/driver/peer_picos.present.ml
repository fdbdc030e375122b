let families =
  [
    (Suite.general, Bench_picos.Entry.contestants);
    ("switching", Bench_switching_picos.contestants);
  ]
