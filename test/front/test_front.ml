let main () =
  Printexc.record_backtrace true;
  Printf.printf "hub %s, workers %d\n%!"
    (Dromos.Hub.name With_run.hub)
    With_run.workers;
  Alcotest.run "front door"
    [
      ("misuse", Misuse.cases);
      ("exceptions", Exceptions.cases);
      ("failures", Failures.cases);
      ("scopes", Scopes.cases);
      ("storms", Storm.cases);
      ("sharing", Sharing.cases);
      ("load", Load.cases);
      ("guests", Guests.cases);
      ("orders", Orders.cases);
      ("turns", Turns.cases);
      ("fairness", Fairness.cases);
      ("storage", Storage.cases);
      ("identity", Identity.cases);
      ("printing", Printing.cases);
      ("children", Children.cases);
      ("effects", Effects.cases);
      ("drawing", Drawing.cases);
      ("scratch", Scratch.cases);
      ("blocking calls", Blocking_calls.cases);
      ("descriptors", Io_calls.cases);
      ("racing", Racing.cases);
      ("strands", Strands.cases);
    ]

let () = Watch.suite "front door" main
