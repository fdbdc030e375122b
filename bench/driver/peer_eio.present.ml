let families =
  [
    ("messages", Bench_messages_eio.Entry.contestants);
    ("switching", Bench_switching_eio.contestants);
  ]
