let kit =
  {
    Bench_turns.run = (fun f -> Eio_posix.run (fun _ -> f ()));
    together = Eio.Fiber.all;
    yield = Eio.Fiber.yield;
  }

let contestants =
  [
    Bench_turns.contestant "eio" "Fiber.all and Fiber.yield, on eio_posix"
      (Bench_turns.jobs kit);
  ]
