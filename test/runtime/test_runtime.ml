let main () =
  Printexc.record_backtrace true;
  Printf.printf "hub %s, workers %d\n%!"
    (Dromos.Hub.name Common.hub)
    Common.workers;
  Alcotest.run "runtime"
    [
      ("tasks", Tasks.cases);
      ("bounds", Bounds.cases);
      ("stopping", Stopping.cases);
      ("hooks", Hooks.cases);
      ("figures", Metrics.cases);
    ]

let () = Watch.suite "runtime" main
