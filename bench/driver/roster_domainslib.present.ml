let contestants = Bench_domainslib.Entry.contestants
