(* A cycle gets no answers, as with many more domains than processors. The runtime must
   stop the world before much more has been shared. Run with DROMOS_HEAP=g=16M; without
   the stop the heaps would hold 64 MB. *)

let now () = Option.get (Dromos_heap.stats ())
let publish_until = Held.publish_until ~length:500

let late () =
  publish_until Held.is_held;
  let before = now () in
  let stopped () = (now ()).global.count > before.global.count in
  let shared () = (now ()).entangled - before.entangled in
  publish_until (fun () -> stopped () || shared () > 32 lsl 20);
  Check.must "the world is stopped" (stopped ());
  Held.release ()

let () = Check.case "a cycle that gets no answers" (fun () -> Held.beside late)
