let () =
  Watch.suite "locks" (fun () ->
      Alcotest.run ~and_exit:false "locks"
        [
          ("scripts", Scripts.cases);
          ("errors", Errors.cases);
          ("storms", Storms.cases);
          ("leaks", Leaks.cases);
          ("together", Together.cases);
          ("pools", Pools.cases);
          ("overtaking", Overtaking.cases);
          ("crowds", Crowds.cases);
        ])
