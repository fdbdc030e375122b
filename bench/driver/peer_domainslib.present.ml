let families =
  [
    (Suite.general, Bench_domainslib.Entry.contestants);
    (Grows.family, Bench_growing_domainslib.contestants);
  ]
