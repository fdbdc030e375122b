let all = Bench_server_eio.Fronts.all
