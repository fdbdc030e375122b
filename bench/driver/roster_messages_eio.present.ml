let contestants = Bench_messages_eio.Entry.contestants
let missing = []
