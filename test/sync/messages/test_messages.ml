let () =
  Watch.suite "messages" (fun () ->
      Alcotest.run ~and_exit:false "messages"
        [
          ("Promise.await_event", Test_await.cases);
          ("Mvar", Test_mvar.cases);
          ("Stream", Test_stream.cases);
          ("Lazy", Test_lazy.cases);
          ("Broadcast", Test_broadcast.cases);
          ("storms and what they leave", Test_storm.cases);
        ])
