let () =
  Printf.printf "seed: QCHECK_SEED=%d\n%!" Draw.seed;
  Alcotest.run "par"
    [
      ("arrays", Test_array.tests);
      ("inner loops", Test_inner.tests);
      ("beside a dear element", Test_beside.tests);
      ("ranges", Test_range.tests);
      ("grains", Test_grain.tests);
      ("exceptions", Test_stop.tests);
      ("orders", Test_order.tests);
      ("groups", Test_group.tests);
      ("fibers", Test_fiber.tests);
    ]
