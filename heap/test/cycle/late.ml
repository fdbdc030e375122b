(* A cycle that gets no answers, as where there are many more domains than processors: the
   world is stopped before much has been shared meanwhile. Run with DROMOS_HEAP=g=16M,
   where otherwise 64 MB would have to be held. *)

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
