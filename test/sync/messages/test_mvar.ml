open Dromos_sync
open Party

let n = 300

(* Two put, two take: every value arrives, each putter's values in order. *)
let pass together =
  let m = Mvar.create () in
  let taken = Array.make 2 [] in
  let put k () = times n (fun i -> Mvar.put m ((2 * i) + k)) in
  let take k () = times n (fun _ -> taken.(k) <- Mvar.take m :: taken.(k)) in
  together [ take 0; put 0; take 1; put 1 ];
  let all = List.sort compare (taken.(0) @ taken.(1)) in
  ints "all, once" (List.init (2 * n) Fun.id) all;
  Array.iter
    (fun got ->
      let from k = List.rev (List.filter (fun v -> v mod 2 = k) got) in
      List.iter
        (fun k -> ints "in order" (List.sort compare (from k)) (from k))
        [ 0; 1 ])
    taken;
  ensure "empty" (Mvar.is_empty m)

let lock together =
  let m = Mvar.of_value 0 in
  let inside = Atomic.make 0 in
  let work () =
    times n (fun _ ->
        Mvar.update m (fun v ->
            equal "alone" 0 (Atomic.fetch_and_add inside 1);
            Atomic.decr inside;
            v + 1))
  in
  together [ work; work; work; work ];
  equal "count" (4 * n) (Mvar.take m)

(* Every waiting reader sees the first value, although an earlier taker gets the
   value at once. *)
let readers together =
  times 20 (fun round ->
      let m = Mvar.create () in
      let got = Atomic.make 0 in
      let read () = if Mvar.read m = round then Atomic.incr got in
      let take () = equal "taken" round (Mvar.take m) in
      let put () =
        Mvar.put m round;
        (* The second value is for readers that come after the take. *)
        Mvar.put m round
      in
      together [ take; read; read; read; put ];
      equal "readers" 3 (Atomic.get got);
      ensure "the second is there" (Mvar.try_take m = Some round))

exception Failed

let alone () =
  let m = Mvar.create () in
  ensure "empty" (Mvar.try_take m = None && Mvar.peek m = None);
  ensure "put" (Mvar.try_put m 1);
  ensure "full" (not (Mvar.try_put m 2));
  ensure "peek" (Mvar.peek m = Some 1 && Mvar.read m = 1);
  ensure "modify" (Mvar.modify m (fun v -> (v + 1, v)) = 1);
  ensure "failing"
    (match Mvar.modify m (fun _ -> raise Failed) with
    | () -> false
    | exception Failed -> true);
  ensure "the old value" (Mvar.peek m = Some 2);
  ensure "late"
    (match Mvar.put ~timeout:0.001 m 3 with
    | () -> false
    | exception Event.Timeout -> true);
  equal "take" 2 (Mvar.take m);
  ensure "nothing left" (Mvar.is_empty m);
  let late f = match f m with _ -> false | exception Event.Timeout -> true in
  ensure "late" (late (Mvar.take ~timeout:0.001));
  ensure "late" (late (Mvar.read ~timeout:0.001));
  ensure "put after the takers that left" (Mvar.try_put m 4);
  ensure "taken" (Event.select [ Mvar.take_event m; Event.never ] = 4);
  ensure "not full" (Mvar.try_put m 5)

(* A second task fills the variable during the modification. *)
let filled_meanwhile () =
  let m = Mvar.of_value 1 in
  Mvar.update m (fun v ->
      Mvar.put m 10;
      v + 1);
  ensure "full" (not (Mvar.try_put m 3));
  equal "first" 2 (Mvar.take m);
  equal "second" 10 (Mvar.take m);
  ensure "empty" (Mvar.is_empty m)

(* A modification whose task is cancelled puts the old value back. *)
let cancelled () =
  Dromos.run ~workers:1 (fun () ->
      let m = Mvar.of_value 7 in
      (try
         Dromos.Scope.run (fun s ->
             Dromos.Scope.fork s (fun () ->
                 Mvar.update m (fun _ ->
                     Dromos.sleep 1000.;
                     8));
             Dromos.yield ();
             ensure "taken" (Mvar.is_empty m);
             Dromos.Scope.fork s (fun () -> ignore (Mvar.read m));
             Dromos.Scope.fork s (fun () -> ignore (Mvar.take m));
             Dromos.yield ();
             Dromos.Scope.cancel s)
       with Dromos.Cancelled -> ());
      ensure "put back" (Mvar.try_take m = Some 7))

let cases =
  cases "pass" pass @ cases "lock" lock @ cases "readers" readers
  @ [
      Watch.case "alone" alone;
      Watch.case "filled while it is modified" filled_meanwhile;
      Watch.case "cancelled while it is modified" cancelled;
    ]
