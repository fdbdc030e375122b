external hold_in_cycle : unit -> bool = "hold_in_cycle" [@@noalloc]
external is_held : unit -> bool = "cycle_is_held" [@@noalloc]
external release : unit -> unit = "release_cycle" [@@noalloc]

let rec look_up_until f =
  if not (f ()) then begin
    Domain.cpu_relax ();
    look_up_until f
  end

let beside f =
  let stop = Atomic.make false in
  let stopped () = Atomic.get stop in
  let other =
    Domain.spawn (fun () ->
        look_up_until (fun () -> hold_in_cycle () || stopped ());
        look_up_until stopped)
  in
  f ();
  Atomic.set stop true;
  Domain.join other

let shared = Array.init 64 (fun _ -> Atomic.make [])

let publish_until ?(slots = 64) ~length f =
  let rec share k =
    Atomic.set shared.(k mod slots) (List.init length (fun i -> i + k));
    if not (f ()) then share (k + 1)
  in
  share 0
