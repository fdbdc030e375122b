(* A cycle proceeds on answers alone. The domains poll and allocate nothing; the collector
   must not forget a domain's answer because a further domain is driving the cycle at that
   moment. *)

external marks : unit -> bool = "cycle_marks" [@@noalloc]

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
    Held.publish_until ~slots:8 ~length:20 marks;
    look_up_while marks 200_000_000
  done;
  Atomic.set stop true;
  List.iter Domain.join others

let () = Check.case "cycles by answers alone" answered
