let contestants = Bench_pval.contestants
