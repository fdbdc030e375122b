(* A cycle goes on by answers alone: in domains that look up, and allocate nothing, nobody
   that has answered is forgotten because another was just driving the cycle. *)

external marks : unit -> bool = "cycle_marks" [@@noalloc]

let slots = Array.init 8 (fun _ -> Atomic.make [])

let rec publish_until f k =
  Atomic.set slots.(k land 7) (List.init 20 (fun i -> i + k));
  if not (f ()) then publish_until f (k + 1)

let look_up_while f n =
  let left = ref n in
  while f () && !left > 0 do
    decr left;
    Domain.cpu_relax ()
  done;
  Check.must "the cycle ends" (!left > 0)

let answered () =
  let stop = Atomic.make false in
  let rec look_up () =
    Domain.cpu_relax ();
    if not (Atomic.get stop) then look_up ()
  in
  let others = List.init 2 (fun _ -> Domain.spawn look_up) in
  for _ = 1 to 100 do
    publish_until marks 0;
    look_up_while marks 200_000_000
  done;
  Atomic.set stop true;
  List.iter Domain.join others

let () = Check.case "cycles by answers alone" answered
