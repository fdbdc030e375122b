let () =
  Printf.printf "seed: QCHECK_SEED=%d\n%!" Draw.seed;
  Alcotest.run "par"
    [
      ("arrays", Test_array.tests);
      ("ranges", Test_range.tests);
      ("exceptions", Test_stop.tests);
      ("fibers", Test_fiber.tests);
    ]
