let kit =
  {
    Bench_turns.run = (fun f -> Picos_mux_fifo.run f);
    together = Picos_std_structured.Run.all;
    yield = Picos.Fiber.yield;
  }

let contestants =
  [
    Bench_turns.contestant "picos-fifo"
      "Run.all and Fiber.yield, on Picos_mux_fifo" (Bench_turns.jobs kit);
  ]
