let contestants =
  Bench_dromos.Entry.contestants @ Bench_dromos_implicit.Entry.contestants
  @ Bench_dromos_tasks.Entry.contestants
