(* The lab's command. *)

let () =
  Bench_driver.Interrupted.handle_signals ();
  let eval () =
    try Cmdliner.Cmd.eval ~catch:false Command.command
    with Failure message ->
      Fmt.epr "bench: %s@." message;
      1
  in
  exit (Dromos_stdout.ended ~name:"bench" ~failed:1 eval)
