(* A cycle that gets no answers, as where there are many more domains than processors: the
   world is stopped before much has been shared meanwhile. Run with DROMOS_HEAP=g=16M,
   where otherwise 64 MB would have to be held. *)

external hold_in_cycle : unit -> bool = "hold_in_cycle" [@@noalloc]
external is_held : unit -> bool = "cycle_is_held" [@@noalloc]
external release : unit -> unit = "release_cycle" [@@noalloc]

let now () = Option.get (Dromos_heap.stats ())
let slots = Array.init 64 (fun _ -> Atomic.make [])

let rec publish_until f k =
  Atomic.set slots.(k land 63) (List.init 500 (fun i -> i + k));
  if not (f ()) then publish_until f (k + 1)

let late () =
  let stop = Atomic.make false in
  let other =
    Domain.spawn (fun () ->
        while not (hold_in_cycle () || Atomic.get stop) do
          Domain.cpu_relax ()
        done)
  in
  publish_until is_held 0;
  let before = now () in
  let stopped () = (now ()).global.count > before.global.count in
  let shared () = (now ()).entangled - before.entangled in
  publish_until (fun () -> stopped () || shared () > 32 lsl 20) 0;
  Check.must "the world is stopped" (stopped ());
  release ();
  Atomic.set stop true;
  Domain.join other

let () = Check.case "a cycle that gets no answers" late
