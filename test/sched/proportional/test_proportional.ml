module Sched = Dromos.Sched
module P = Sched.Proportional
module Gang = Sched.Gang
module Vproc = Sched.Vproc

let check_int = Watch.check Alcotest.int

let forever () =
  while true do
    Sched.yield ()
  done

(* Runs [setup] until the shares together have had [ticks], then cancels all. *)
let measure ?(workers = 1) ticks setup =
  Dromos.run ~workers (fun () ->
      P.run (fun t ->
          let shares = ref [] in
          let counts = ref [] in
          (try
             Dromos.Scope.run (fun scope ->
                 shares := setup t;
                 while
                   List.fold_left (fun n s -> n + P.ticks s) 0 !shares < ticks
                 do
                   Sched.yield ()
                 done;
                 counts := List.map P.ticks !shares;
                 Dromos.Scope.cancel scope;
                 Dromos.check ())
           with Dromos.Cancelled -> ());
          !counts))

let with_fibers t (weight, fibers) =
  let share = P.share t ~weight in
  for _ = 1 to fibers do
    P.spawn share forever
  done;
  share

(* {1 Shares} *)

let letters shares length =
  Dromos.run ~workers:1 (fun () ->
      let order = Buffer.create 16 in
      P.run (fun t ->
          let speak name () =
            while Buffer.length order < length do
              Buffer.add_char order name;
              Sched.yield ()
            done
          in
          List.iter
            (fun (name, weight) -> P.spawn (P.share t ~weight) (speak name))
            shares);
      Buffer.contents order)

let exact () =
  let check what expected shares =
    Watch.check Alcotest.string what expected
      (letters shares (String.length expected))
  in
  check "equal" "abcabcabc" [ ('a', 1.); ('b', 1.); ('c', 1.) ];
  check "2 to 1" "abaabaabaaba" [ ('a', 2.); ('b', 1.) ];
  check "4 to 2 to 1" "abcaabaabcaaba" [ ('a', 4.); ('b', 2.); ('c', 1.) ]

(* A share is never further from its due than the number of shares. *)
let converge () =
  let chance = Watch.chance in
  for _ = 1 to 20 do
    let n = 2 + Random.State.int chance 4 in
    let shares =
      List.init n (fun _ ->
          ( float_of_int (1 + Random.State.int chance 20),
            1 + Random.State.int chance 4 ))
    in
    let total = List.fold_left (fun sum (w, _) -> sum +. w) 0. shares in
    let counts = measure 2_000 (fun t -> List.map (with_fibers t) shares) in
    let all = float_of_int (List.fold_left ( + ) 0 counts) in
    List.iter2
      (fun (weight, fibers) count ->
        let due = all *. weight /. total in
        if Float.abs (float_of_int count -. due) > float_of_int n then
          Alcotest.failf
            "weight %g of %g with %d fibers: %d ticks of %g, due %.1f" weight
            total fibers count all due)
      shares counts
  done

let several_vprocs () =
  let setup t =
    List.concat_map
      (fun weight ->
        let share = P.share t ~weight in
        List.iter (fun on -> P.spawn share ~on forever) (Vproc.all ());
        [ share ])
      [ 3.; 1. ]
  in
  match measure ~workers:3 20_000 setup with
  | [ a; b ] ->
      let ratio = float_of_int a /. float_of_int b in
      if ratio < 2.5 || ratio > 3.5 then
        Alcotest.failf "3 to 1 on three vprocs: %d to %d" a b
  | _ -> Alcotest.fail "two shares"

(* {1 Changes} *)

let weight_changes () =
  let at_change = ref [] in
  let counts =
    measure 3_000 (fun t ->
        let a = P.share t ~weight:1. and b = with_fibers t (1., 1) in
        let shares = [ a; b ] in
        P.spawn a (fun () ->
            while P.ticks a < 500 do
              Sched.yield ()
            done;
            P.set_weight a 4.;
            Watch.check Alcotest.(float 0.) "weight" 4. (P.weight a);
            at_change := List.map P.ticks shares;
            forever ());
        shares)
  in
  match (!at_change, counts) with
  | [ a; b ], [ a'; b' ] ->
      if abs (a - b) > 2 then Alcotest.failf "before: %d to %d" a b;
      let a = a' - a and b = b' - b in
      if abs (a - (4 * b)) > 8 then Alcotest.failf "then: %d to %d" a b
  | _ -> Alcotest.fail "the weight was not changed"

(* A share that sleeps gets its usual part afterwards, and no more. *)
let no_saving_up () =
  let counts =
    measure 2_000 (fun t ->
        let busy = P.share t ~weight:1. and sleeper = P.share t ~weight:1. in
        let wake = Dromos.Promise.create () in
        P.spawn sleeper (fun () ->
            Dromos.Promise.await wake;
            forever ());
        P.spawn busy (fun () ->
            while P.ticks busy < 1_000 do
              Sched.yield ()
            done;
            Dromos.Promise.resolve wake ();
            forever ());
        [ busy; sleeper ])
  in
  match counts with
  | [ busy; sleeper ] when busy >= 1_400 && sleeper > 300 -> ()
  | l -> Alcotest.failf "%s" (String.concat " " (List.map string_of_int l))

let errors () =
  let raises text f = Alcotest.check_raises text (Invalid_argument text) f in
  Dromos.run ~workers:2 (fun () ->
      P.run
        ~vprocs:[ Vproc.host () ]
        (fun t ->
          raises "Proportional: a weight of 0" (fun () ->
              ignore (P.share t ~weight:0.));
          let share = P.share t ~weight:1. in
          raises "Proportional: a weight of nan" (fun () ->
              P.set_weight share Float.nan);
          let other =
            List.find
              (fun v -> not (Vproc.equal v (Vproc.host ())))
              (Vproc.all ())
          in
          raises
            (Printf.sprintf
               "Proportional: vproc %d is not one of the scheduler's"
               (Vproc.id other))
            (fun () -> P.spawn share ~on:other ignore)))

exception Foo

let raises workers () =
  match
    Dromos.run ~workers (fun () ->
        P.run (fun t ->
            let share = P.share t ~weight:1. in
            P.spawn share forever;
            P.spawn share (fun () -> Dromos.Ivar.read (Dromos.Ivar.create ()));
            P.spawn share (fun () -> raise Foo)))
  with
  | () -> Alcotest.fail "it ended"
  | exception Foo -> ()

(* {1 Nesting} *)

let rec fib n =
  if n < 2 then n
  else
    let right = Gang.future1 (fun () -> fib (n - 2)) in
    let left = fib (n - 1) in
    Sched.yield ();
    left + Gang.touch1 right

let by_engine n () =
  let rec finish e =
    Sched.Engine.run e ~fuel:2 ~complete:(fun v _ -> v) ~expire:finish
  in
  finish
    (Sched.Engine.make (fun () ->
         for _ = 1 to n do
           Sched.yield ()
         done;
         n))

(* A gang's fibers together have the time of the share around the gang. *)
let gang_in_share () =
  let counts =
    measure 2_000 (fun t ->
        let alone = with_fibers t (1., 1) in
        let ganged = P.share t ~weight:1. in
        P.spawn ganged (fun () ->
            Gang.run ~under:(P.enter ganged) (fun () ->
                List.iter Gang.touch1
                  (List.init 5 (fun _ -> Gang.future1 forever))));
        [ alone; ganged ])
  in
  match counts with
  | [ a; b ] when abs (a - b) <= 20 -> ()
  | l -> Alcotest.failf "%s" (String.concat " " (List.map string_of_int l))

let mixes workers () =
  let total = Atomic.make 0 in
  let count n = ignore (Atomic.fetch_and_add total n) in
  (* Every mix of schedulers, to the given depth; 21 in each leaf. *)
  let rec mix depth =
    if depth = 0 then count (Gang.run (fun () -> fib 8))
    else
      let inside = mix_one (depth - 1) in
      List.iter inside [ `Gang; `Share; `Round_robin; `Engine ]
  and mix_one depth = function
    | `Gang ->
        Gang.run (fun () ->
            ignore (Gang.both (fun () -> mix depth) (fun () -> Sched.yield ())))
    | `Share ->
        P.run (fun t ->
            let share = P.share t ~weight:2. in
            P.spawn share (fun () -> mix depth);
            P.spawn (P.share t ~weight:1.) (fun () -> count (by_engine 5 ()));
            P.spawn share (fun () ->
                Gang.run ~under:(P.enter share) (fun () -> count (fib 5))))
    | `Round_robin ->
        Sched.Round_robin.run (fun () ->
            Sched.Round_robin.spawn (fun () -> mix depth))
    | `Engine ->
        let rec finish e =
          Sched.Engine.run e ~fuel:3 ~complete:(fun () _ -> ()) ~expire:finish
        in
        finish (Sched.Engine.make (fun () -> mix depth))
  in
  Dromos.run ~workers (fun () -> mix 2);
  (* 16 leaves of 21; 1 + 4 shares of 5 + 5. *)
  check_int "all, once" ((16 * 21) + (5 * 10)) (Atomic.get total)

(* The fibers of a share's fibers belong to the share, whatever scheduler is
   around. *)
let spawned () =
  Dromos.run ~workers:1 (fun () ->
      Sched.Round_robin.run (fun () ->
          let share =
            P.run (fun t ->
                let share = P.share t ~weight:1. in
                P.spawn share (fun () -> Sched.spawn ignore);
                share)
          in
          check_int "turns of the share" 2 (P.ticks share)))

let idle () =
  let seconds =
    Dromos.run ~workers:2 (fun () ->
        P.run (fun t ->
            let share = P.share t ~weight:1. in
            P.spawn share (fun () -> Dromos.sleep 0.5);
            let before = Sys.time () in
            Dromos.sleep 0.4;
            Sys.time () -. before))
  in
  if seconds > 0.1 then
    Alcotest.failf "at rest for 0.4 s it used %.3f s of CPU" seconds

let attached () =
  Dromos.run ~workers:2 (fun () ->
      Dromos.Scope.run (fun scope ->
          Dromos.Scope.fork scope forever;
          for i = 1 to 10 do
            let sum = Atomic.make 0 in
            P.run (fun t ->
                let share = P.share t ~weight:(float_of_int i) in
                for _ = 1 to 5 do
                  P.spawn share (fun () ->
                      Sched.yield ();
                      Atomic.incr sum)
                done);
            check_int "all ran" 5 (Atomic.get sum)
          done;
          Dromos.Scope.cancel scope))

(* The smallest share is never first again, and the other shares keep their
   ratio. *)
let extremes () =
  let counts =
    measure 300_000 (fun t ->
        List.map (with_fibers t)
          [ (1e-300, 1); (1e300, 1); (1e-3, 1); (4., 1); (2., 1) ])
  in
  match counts with
  | [ tiny; huge; small; four; two ] ->
      let some what n = Watch.check Alcotest.bool what true (n > 0) in
      some "all had turns" (List.fold_left Int.min max_int counts);
      Watch.check Alcotest.bool "huge is nearly all" true
        (huge > 100 * (tiny + small + four + two))
  | _ -> assert false

let () =
  Watch.suite "proportional" @@ fun () ->
  let case = Watch.case in
  Alcotest.run "proportional"
    [
      ( "shares",
        [
          case "exact" exact;
          case "converge" converge;
          case "several vprocs" several_vprocs;
          case "extreme weights" extremes;
        ] );
      ( "changes",
        [ case "weight" weight_changes; case "no saving up" no_saving_up ] );
      ( "errors",
        [
          case "errors" errors;
          case "raises on 1" (raises 1);
          case "raises on 3" (raises 3);
        ] );
      ( "nesting",
        [
          case "gang in a share" gang_in_share;
          case "Sched.spawn in a share" spawned;
          case "mixes on 1" (mixes 1);
          case "mixes on 3" (mixes 3);
        ] );
      ("coming and going", [ case "idle" idle; case "attached" attached ]);
    ]
