let main () =
  Printexc.record_backtrace true;
  Alcotest.run "schedulers"
    (Together.suites
    @ [
        ("inheritance", Inheriting.cases);
        ("priority", Priorities.cases);
        ("deadline", Deadlines.cases);
        ("bounded", Bounds.cases);
        ("load balancing", Balance.cases);
      ])

let () = Watch.suite "schedulers" main
