open Moonpool

let pool = ref None

let run f =
  let runner = Fifo_pool.create ~num_threads:1 () in
  pool := Some runner;
  let result = Runner.run_wait_block runner f in
  Runner.shutdown runner;
  result

let together fs =
  let on = Option.get !pool in
  List.iter Fut.await (List.map (fun f -> Fut.spawn ~on f) fs)

let kit = { Bench_turns.run; together; yield = Moonpool.yield }

let contestants =
  [
    Bench_turns.contestant "moonpool-tasks"
      "Fut.spawn and Moonpool.yield, one thread of Fifo_pool"
      (Bench_turns.jobs kit);
  ]
