(* Dromos beside the real Lwt. *)

let host : Bridged.host =
  {
    name = "Lwt fibers";
    main = (fun f -> Dromos_lwt.run (fun () -> Dromos_lwt.fiber f));
    together =
      (fun fs -> Dromos_lwt.await (Lwt.join (List.map Dromos_lwt.fiber fs)));
  }

let () =
  Printexc.record_backtrace true;
  Watch.suite "bridge_lwt" @@ fun () ->
  Alcotest.run "bridge_lwt"
    [
      ("misuse", Misuse.cases);
      ("every host", Bridged.cases host);
      ("crossing", Crossing.cases);
    ]
