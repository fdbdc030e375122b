let jobs = Forks.jobs @ Loops.jobs @ Reductions.jobs @ Words.jobs

let session config ~workers =
  let pool = Sched.create config ~workers in
  let job (name, make) =
    ( name,
      fun ~n ~cutoff ->
        let body = make ~n ~cutoff in
        fun () -> Sched.run pool body )
  in
  let probe (name, measure) = (name, fun ~n -> measure pool ~n) in
  {
    Bench_core.Contestant.jobs = List.map job jobs;
    probes = List.map probe Probes.all;
    stop = (fun () -> Sched.close pool);
  }

let contestants =
  List.map
    (fun (name, about, config) ->
      {
        Bench_core.Contestant.name;
        about;
        parallel = Sched.parallel;
        start = session config;
      })
    Sched.variants
