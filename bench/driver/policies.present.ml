let families =
  [
    (Suite.general, Bench_policies.Entry.contestants);
    ("barriers", Bench_policies.Barriers.contestants);
  ]
