(* Cancelables: when cancel returns, all fibers have stopped, in any state and
   under any scheduler. *)

module Sched = Dromos.Sched
module Cancelable = Sched.Cancelable

let rec fib n =
  if n < 2 then n
  else
    let a, b = Dromos.both (fun () -> fib (n - 1)) (fun () -> fib (n - 2)) in
    a + b

(* The states of a fiber at its cancellation. *)
let states =
  [
    ( "yields",
      fun () ->
        while true do
          Sched.yield ()
        done );
    ("sleeps", fun () -> Dromos.sleep 1000.);
    ( "forks",
      fun () ->
        while true do
          ignore (fib 8 : int);
          Sched.yield ()
        done );
    ( "a scope",
      fun () ->
        Dromos.Scope.run (fun s ->
            Dromos.Scope.fork s (fun () -> Dromos.sleep 1000.)) );
    ( "a scheduler",
      fun () ->
        Sched.Round_robin.run (fun () ->
            Sched.Round_robin.spawn (fun () -> Dromos.sleep 1000.)) );
    ( "stealing",
      fun () ->
        Sched.Stealing.run (fun () ->
            Sched.Stealing.pval (fun () -> Dromos.sleep 1000.) (fun x -> x ()))
    );
    ("has ended", ignore);
  ]

let under =
  [
    ("the root", fun f -> f ());
    ("stealing", fun f -> Sched.Stealing.run f);
    ("round robin", fun f -> Sched.Round_robin.run f);
  ]

let each_state () =
  List.iter
    (fun workers ->
      List.iter
        (fun (place, inside) ->
          List.iter
            (fun (state, code) ->
              (* Round-robin fibers that never wait leave no turn to the root,
                 and the cancelling fiber is the root's. *)
              let starves = List.mem state [ "yields"; "forks" ] in
              if not (starves && String.equal place "round robin") then
                Dromos.run ~workers (fun () ->
                    inside (fun () ->
                        let running = Atomic.make 0 in
                        let counted () =
                          Atomic.incr running;
                          Fun.protect code ~finally:(fun () ->
                              Atomic.decr running)
                        in
                        let c = Cancelable.make () in
                        for _ = 1 to 5 do
                          Sched.spawn (Cancelable.wrap c counted)
                        done;
                        if Random.State.bool Watch.chance then Dromos.sleep 1e-3;
                        Cancelable.cancel c;
                        Cancelable.cancel c;
                        Watch.check Alcotest.int
                          (place ^ ", " ^ state)
                          0 (Atomic.get running);
                        Watch.check Alcotest.bool "cancelled" true
                          (Cancelable.is_cancelled c))))
            states)
        under)
    [ 1; 2; 4 ]

let tree () =
  Dromos.run ~workers:2 (fun () ->
      let running = Atomic.make 0 in
      let top = Cancelable.make () in
      let rec grow depth () =
        Atomic.incr running;
        Fun.protect
          (fun () ->
            let below = Cancelable.make () in
            if depth > 0 then
              Sched.spawn (Cancelable.wrap below (grow (depth - 1)));
            Dromos.sleep 1000.)
          ~finally:(fun () -> Atomic.decr running)
      in
      Sched.spawn (Cancelable.wrap top (grow 5));
      while Atomic.get running < 6 do
        Dromos.sleep 1e-3
      done;
      Cancelable.cancel top;
      Watch.check Alcotest.int "stopped" 0 (Atomic.get running))

(* The fiber that made the cancelable below is over. *)
let outlived () =
  Dromos.run ~workers:2 (fun () ->
      let running = Atomic.make 0 in
      let top = Cancelable.make () in
      let below = ref None in
      Cancelable.wrap top (fun () -> below := Some (Cancelable.make ())) ();
      let below = Option.get !below in
      for _ = 1 to 5 do
        Sched.spawn
          (Cancelable.wrap below (fun () ->
               Atomic.incr running;
               Fun.protect
                 (fun () -> Dromos.sleep 1000.)
                 ~finally:(fun () -> Atomic.decr running)))
      done;
      Dromos.sleep 1e-3;
      Cancelable.cancel top;
      Watch.check Alcotest.int "stopped" 0 (Atomic.get running);
      Watch.check Alcotest.bool "cancelled" true (Cancelable.is_cancelled below))

(* A cancelable, used or not, leaves no data in its parent. *)
let no_leak () =
  let live () =
    Gc.full_major ();
    (Gc.stat ()).live_words
  in
  Dromos.run ~workers:1 (fun () ->
      let rounds n =
        for i = 1 to n do
          let c = Cancelable.make () in
          if i mod 2 = 0 then Cancelable.wrap c ignore ()
        done
      in
      let check what =
        rounds 1_000;
        let before = live () in
        rounds 1_000_000;
        let grown = live () - before in
        if grown > 10_000 then
          Alcotest.failf "%s: %d words more are live" what grown
      in
      check "below a run";
      Cancelable.wrap (Cancelable.make ()) (fun () -> check "below another") ())

let itself () =
  Dromos.run ~workers:1 (fun () ->
      let c = Cancelable.make () in
      let said = ref false in
      Cancelable.wrap c
        (fun () ->
          match Cancelable.cancel c with
          | () -> ()
          | exception Invalid_argument _ -> said := true)
        ();
      Watch.check Alcotest.bool "refused" true !said)

let () =
  Watch.suite "Cancelable" (fun () ->
      Alcotest.run ~and_exit:false "Cancelable"
        [
          ( "cancel",
            [
              Watch.case "in every state" each_state;
              Watch.case "a tree" tree;
              Watch.case "a tree whose makers are over" outlived;
              Watch.case "by itself" itself;
              Watch.case "a million" no_leak;
            ] );
          ("under", Places.cases);
          ("stress", [ Storm.case ]);
        ])
