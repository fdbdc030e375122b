(* A domain that stops the world again and again starves no other domain: each action of
   the other domains ends within [most] stops. Without fairness an action took more than a
   hundred times as many stops. *)

let most = 20_000 (* about 50 were measured *)

(* [f ()] runs beside a domain that only collects, and a domain that only asks
   for young collections; each request is a poll point. *)
let beside_collections what f =
  let over = Atomic.make false and stops = Atomic.make 0 in
  let until_over step () =
    while not (Atomic.get over) do
      step ()
    done
  in
  let collector =
    until_over (fun () ->
        Gc.full_major ();
        Atomic.incr stops;
        Check.must (what ^ ": soon") (Atomic.get stops < most))
  in
  let others = List.map Domain.spawn [ collector; until_over Gc.minor ] in
  Check.await stops 1;
  f ();
  Atomic.set over true;
  List.iter Domain.join others

let come_and_go () =
  Check.repeat 20 (fun () -> Domain.join (Domain.spawn ignore))

(* Blocked threads return while the world is stopped. *)
let block () =
  let threads =
    List.init 3 (fun _ ->
        Thread.create
          (fun () -> Check.repeat 20 (fun () -> Unix.sleepf 0.0001))
          ())
  in
  List.iter Thread.join threads

let look_up () = Check.repeat 200 Gc.minor

let () =
  List.iter
    (fun (what, f) -> Check.case what (fun () -> beside_collections what f))
    [
      ("domains come and go beside collections", come_and_go);
      ("threads block beside collections", block);
      ("a domain looks up beside collections", look_up);
    ]
