(* OCaml's own runtime has no figures to read or to emit. *)

let () =
  Check.case "nothing is told on stock's runtime" (fun () ->
      Dromos_heap_events.emit ();
      Check.must "no stats" (Dromos_heap.stats () = None);
      Check.must "no report" (Dromos_heap.report () = ""))
