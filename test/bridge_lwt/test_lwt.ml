(* Dromos beside the real Lwt. *)

let host : Bridged.host =
  {
    name = "Lwt fibers";
    main = (fun f -> Dromos_lwt.run (fun () -> Dromos_lwt.fiber f));
    together =
      (fun fs -> Dromos_lwt.await (Lwt.join (List.map Dromos_lwt.fiber fs)));
  }

let scheduler : Conformance.scheduler =
  {
    name = "Dromos_lwt.fiber";
    run = host.main;
    fork =
      (fun f ->
        let p = Dromos_lwt.fiber f in
        fun () -> Lwt.cancel p);
    cancels = true;
  }

let () =
  Printexc.record_backtrace true;
  Watch.suite "bridge_lwt" @@ fun () ->
  Alcotest.run "bridge_lwt"
    [
      ("misuse", Misuse.cases);
      ("the contract", Conformance.cases scheduler);
      ("every host", Bridged.cases host);
      ("crossing", Crossing.cases);
      ("cancelling", Cancelling.cases);
      ("storage", Storage.cases);
      ("load", Load.cases);
      ("pools", Pools.cases);
      ("regress", Regress.cases);
    ]
