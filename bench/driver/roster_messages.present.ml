let contestants = Bench_messages.Entry.contestants
