let contestants = Bench_policies.Entry.contestants
let barriers = Bench_policies.Barriers.contestants
