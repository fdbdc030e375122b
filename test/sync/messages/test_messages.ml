let () =
  Watch.suite "messages" (fun () ->
      Alcotest.run ~and_exit:false "messages"
        [
          ("Mvar", Test_mvar.cases);
          ("Stream", Test_stream.cases);
          ("Lazy", Test_lazy.cases);
        ])
