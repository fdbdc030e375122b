(* Parallel or: the first answer wins, and the rest stops; alone, nested, under
   several schedulers. *)

module Sched = Dromos.Sched
module Speculate = Sched.Speculate
module Stealing = Sched.Stealing

let por = Speculate.por

let in_round_robin f =
  let result = ref None in
  Sched.Round_robin.run (fun () ->
      Sched.Round_robin.spawn (fun () -> result := Some (f ())));
  Option.get !result

let places =
  [
    ("stealing", fun f -> Stealing.run f);
    ("the root", fun f -> f ());
    ("round robin", in_round_robin);
    ( "stealing in round robin",
      fun f -> in_round_robin (fun () -> Stealing.run f) );
  ]

let everywhere f =
  List.iter
    (fun workers ->
      List.iter
        (fun (place, inside) ->
          let what = Printf.sprintf "%s, %d workers" place workers in
          Dromos.run ~workers (fun () -> inside (fun () -> f what)))
        places)
    [ 1; 2; 4 ]

let check what = Watch.check Alcotest.(option int) what

(* Ends only by cancellation, and counts itself out. *)
let hopeless running () =
  Atomic.incr running;
  Fun.protect
    (fun () ->
      while true do
        Sched.yield ()
      done;
      None)
    ~finally:(fun () -> Atomic.decr running)

let asleep running () =
  Atomic.incr running;
  Fun.protect
    (fun () ->
      Dromos.sleep 1000.;
      None)
    ~finally:(fun () -> Atomic.decr running)

let after_a_while v () =
  Dromos.sleep 2e-4;
  v

let test_answers () =
  everywhere (fun what ->
      let none () = None and some v () = Some v in
      check what None (por none none);
      check what (Some 1) (por (some 1) none);
      check what (Some 2) (por none (some 2));
      check what None (Speculate.first []);
      check what (Some 3) (Speculate.first [ none; none; some 3; none ]);
      check what (Some 4) (por (after_a_while (Some 4)) none);
      check what (Some 5) (por none (after_a_while (Some 5)));
      check what None (por (after_a_while None) (after_a_while None));
      Watch.check Alcotest.bool what true
        (List.mem (por (some 6) (some 7)) [ Some 6; Some 7 ]))

let test_losers_stop () =
  everywhere (fun what ->
      let running = Atomic.make 0 in
      (* Under round robin alone, the other branch is the root's, and a fiber
         that never waits leaves the root no turn. *)
      let losers =
        if String.starts_with ~prefix:"round robin" what then [ asleep running ]
        else [ hopeless running; asleep running ]
      in
      for _ = 1 to 20 do
        List.iter
          (fun loser ->
            let stopped answer =
              check what (Some 1) answer;
              Watch.check Alcotest.int (what ^ ": running") 0
                (Atomic.get running)
            in
            stopped (por loser (after_a_while (Some 1)));
            stopped (por (after_a_while (Some 1)) loser);
            stopped
              (Speculate.first
                 [ loser; loser; after_a_while (Some 1); loser; loser ]);
            stopped
              (por
                 (fun () -> por loser loser)
                 (fun () -> por loser (after_a_while (Some 1)))))
          losers
      done)

exception Boom of int

let test_exceptions () =
  everywhere (fun what ->
      let running = Atomic.make 0 in
      let boom n () = raise (Boom n) in
      let late n () =
        Dromos.sleep 2e-4;
        raise (Boom n)
      in
      let raises n f =
        Alcotest.check_raises what (Boom n) (fun () ->
            ignore (f () : int option));
        Watch.check Alcotest.int (what ^ ": running") 0 (Atomic.get running)
      in
      raises 1 (fun () -> por (boom 1) (boom 2));
      raises 1 (fun () -> por (late 1) (boom 2));
      raises 1 (fun () -> por (late 1) (asleep running));
      raises 2 (fun () -> por (after_a_while None) (boom 2));
      check what (Some 3) (por (after_a_while (Some 3)) (boom 2)))

(* A tree of alternatives with one answer somewhere. *)
let rec search depth path goal =
  if depth = 0 then if path = goal then Some path else None
  else
    por
      (fun () -> search (depth - 1) (2 * path) goal)
      (fun () -> search (depth - 1) ((2 * path) + 1) goal)

let test_storm () =
  everywhere (fun what ->
      for _ = 1 to 10 do
        let goal = 1024 + Random.State.int Watch.chance 1024 in
        check what (Some goal) (search 10 1 goal);
        check what None (search 10 1 0)
      done)

(* More functions than vprocs compute without end to the left of the answer. *)
let test_turns () =
  let computes () =
    while true do
      Dromos.check ()
    done;
    None
  in
  let functions = [ computes; computes; computes; (fun () -> Some 4) ] in
  let first () = Speculate.first functions in
  let nested () = Speculate.first [ computes; first; computes ] in
  let check_all ?preempt hub =
    let run f = Dromos.run ~workers:2 ~hub ?preempt f in
    let what = Dromos.Hub.name hub in
    check what (Some 4) (run first);
    check (what ^ ", stealing") (Some 4) (run (fun () -> Stealing.run first));
    check (what ^ ", nested") (Some 4) (run nested)
  in
  List.iter (fun hub -> check_all hub) Dromos.Hub.all;
  List.iter (fun hub -> check_all ~preempt:true hub) Dromos.Hub.all

let test_outer_cancel () =
  everywhere (fun what ->
      let running = Atomic.make 0 in
      for _ = 1 to 10 do
        (match
           Dromos.Scope.run (fun scope ->
               ignore
                 (Dromos.Scope.async scope (fun () ->
                      Dromos.sleep 2e-4;
                      Dromos.Scope.cancel scope));
               Speculate.first
                 [ asleep running; asleep running; asleep running ])
         with
        | _ -> Alcotest.fail "not cancelled"
        | exception e when Dromos_suspend.is_cancellation e -> ());
        Watch.check Alcotest.int what 0 (Atomic.get running)
      done)

let test_no_leak () =
  let live () =
    Gc.full_major ();
    (Gc.stat ()).live_words
  in
  Dromos.run ~workers:2 (fun () ->
      Stealing.run (fun () ->
          let rounds n =
            for i = 1 to n do
              let wait () =
                Dromos_suspend.suspend
                  (fun (_ : int option Dromos_suspend.resumer) -> None)
              in
              check "answer" (Some i) (por wait (fun () -> Some i))
            done
          in
          rounds 1_000;
          let before = live () in
          rounds 100_000;
          let grown = live () - before in
          if grown > 100_000 then Alcotest.failf "%d words more are live" grown))

let case = Watch.case

let () =
  Watch.suite "Speculate" (fun () ->
      Alcotest.run ~and_exit:false "Speculate"
        [
          ( "por",
            [
              case "answers" test_answers;
              case "losers stop" test_losers_stop;
              case "exceptions" test_exceptions;
              case "functions that compute give way" test_turns;
              case "storm" test_storm;
              case "cancelled from outside" test_outer_cancel;
              case "no leak" test_no_leak;
            ] );
        ])
