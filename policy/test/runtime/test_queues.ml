(* The parts under compiled policies: lock, rings, queues. *)

open Dromos_policy_runtime

let below n = Random.State.int Watch.chance n

(* {1 The lock} *)

(* Systhreads of several domains count with plain reads and writes, and
   sometimes release their domain in between. No addition may be lost, and all
   threads must end. *)
let counted () =
  let lock = Lock.create () and count = ref 0 in
  let domains = 3 and threads = 3 and each = 3000 in
  let work i =
    for n = 1 to each do
      Lock.lock lock;
      let before = !count in
      if n mod 100 = i then Thread.yield ();
      count := before + 1;
      Lock.unlock lock
    done
  in
  let domain () =
    List.iter Thread.join (List.init threads (Thread.create work))
  in
  List.iter Domain.join (List.init domains (fun _ -> Domain.spawn domain));
  Alcotest.(check int) "additions" (domains * threads * each) !count

(* Domains that wait long for the lock sleep, and each gets the lock in turn. *)
let passed_on () =
  let lock = Lock.create () and came = Atomic.make 0 in
  Lock.lock lock;
  let wait () =
    Lock.lock lock;
    Atomic.incr came;
    Lock.unlock lock
  in
  let waiting = List.init 4 (fun _ -> Domain.spawn wait) in
  Unix.sleepf 0.05;
  Alcotest.(check int) "none before it is free" 0 (Atomic.get came);
  Lock.unlock lock;
  List.iter Domain.join waiting;
  Alcotest.(check int) "all" 4 (Atomic.get came)

(* {1 Rings, against lists} *)

let ring () =
  let ring = Ring.create ~none:(-1) and model = ref [] in
  let last l = List.fold_left (fun _ x -> x) (-1) l in
  for n = 1 to 5_000 do
    (match below 8 with
    | 0 | 1 | 2 ->
        Ring.add ring n;
        model := !model @ [ n ]
    | 3 -> (
        let x = Ring.take_first ring in
        Alcotest.(check int)
          "first"
          (match !model with [] -> -1 | y :: _ -> y)
          x;
        model := match !model with [] -> [] | _ :: rest -> rest)
    | 4 ->
        Ring.drop_last ring;
        model := List.filteri (fun i _ -> i < List.length !model - 1) !model
    | 5 when n mod 7 = 0 ->
        let wanted x = x mod 3 = 0 and left = ref (below 10) in
        let enough () =
          decr left;
          !left < 0
        in
        let offered = !left + 1 in
        let taken = Ring.offer ring wanted ~enough in
        let out i x = i < offered && wanted x in
        Alcotest.(check (list int)) "offered" (List.filteri out !model) taken;
        model := List.filteri (fun i x -> not (out i x)) !model
    | _ ->
        if below 2000 = 0 then
          for i = 1 to 300 do
            Ring.add ring i;
            model := !model @ [ i ]
          done);
    if n mod 50 = 0 then
      Alcotest.(check (list int)) "all" !model (Ring.to_list ring);
    Alcotest.(check int) "length" (List.length !model) (Ring.length ring);
    Alcotest.(check int) "last" (last !model) (Ring.last ring)
  done

(* {1 Queues} *)

let newest () =
  let x key name = (ref key, name) in
  let none = x 0 "none" in
  let q = Runqueue.sorted ~none (fun (key, _) -> [| !key |]) in
  let a = x 1 "a" and b = x 1 "b" and c = x 0 "c" in
  List.iter (Runqueue.add q) [ a; b; c ];
  let is = Alcotest.(check bool) in
  is "an older one of its keys" false (Runqueue.is_newest q a);
  is "the newest of its keys, not of all" true (Runqueue.is_newest q b);
  is "another that is alike" false (Runqueue.is_newest q (x 1 "b"));
  is "taken" true (Runqueue.take_newest q b);
  is "only once" false (Runqueue.take_newest q b);
  let names = List.map snd (Runqueue.to_list q) in
  Alcotest.(check (list string)) "the others stay" [ "c"; "a" ] names;
  fst a := -1;
  Runqueue.keys_changed q;
  Runqueue.add q (x 5 "d");
  is "in a line of changed keys" false (Runqueue.is_newest q a);
  let empty = Runqueue.fifo ~none in
  is "none is in no queue" false (Runqueue.take_newest empty none)

let () =
  Watch.suite "policy queues" (fun () ->
      Alcotest.run ~and_exit:false "policy queues"
        [
          ( "lock",
            [ Watch.case "counted" counted; Watch.case "passed on" passed_on ]
          );
          ("ring", [ Watch.case "against a list" ring ]);
          ("queue", [ Watch.case "newest" newest ]);
        ])
