let contestants = Bench_growing_domainslib.contestants
