(* pval and its scheduler: the results of sequential evaluation, whatever is
   stolen; exceptions in every position; cancelled work stops. *)

module Sched = Dromos.Sched
module Stealing = Sched.Stealing

let pval = Stealing.pval
let check_int = Watch.check Alcotest.int

(* Runs as one of round robin's fibers. *)
let in_round_robin f =
  Sched.Round_robin.run (fun () ->
      let result = Dromos.Promise.create () in
      Sched.Round_robin.spawn (fun () ->
          let r = match f () with v -> Ok v | exception e -> Error e in
          ignore (Dromos.Promise.try_resolve result (Ok r)));
      match Dromos.await result with Ok v -> v | Error e -> raise e)

(* The places of the computations: one scheduler alone, and inside other
   schedulers. *)
let places : (string * ((unit -> int) -> int)) list =
  [
    ("alone", fun f -> Stealing.run f);
    ("no scheduler", fun f -> f ());
    ("inside round robin", fun f -> in_round_robin (fun () -> Stealing.run f));
    ("inside itself", fun f -> Stealing.run (fun () -> Stealing.run f));
    ( "beside fibers that take turns",
      fun f ->
        in_round_robin (fun () ->
            let over = Atomic.make false in
            let busy () =
              while not (Atomic.get over) do
                Sched.yield ()
              done
            in
            List.iter
              (fun on -> Sched.Round_robin.spawn ~on busy)
              (Sched.Vproc.all ());
            Fun.protect
              (fun () -> Stealing.run f)
              ~finally:(fun () -> Atomic.set over true)) );
  ]

let everywhere f =
  List.iter
    (fun workers ->
      List.iter
        (fun (place, inside) ->
          let what = Printf.sprintf "%s, %d workers" place workers in
          Dromos.run ~workers (fun () -> f what inside))
        places)
    [ 1; 2; 4 ]

(* {1 Results} *)

let rec fib n = if n < 2 then n else fib (n - 1) + fib (n - 2)

let rec pfib n =
  if n < 2 then n
  else
    pval
      (fun () -> pfib (n - 1))
      (fun a ->
        let b = pfib (n - 2) in
        a () + b)

let rec pfib_ctx ctx n =
  if n < 2 then n
  else
    Stealing.Ctx.pval ctx
      (fun ctx -> pfib_ctx ctx (n - 1))
      (fun ctx a ->
        let b = pfib_ctx ctx (n - 2) in
        a () + b)

type tree = Leaf | Node of int * tree * tree

let rec tree n =
  if n = 0 then Leaf else Node (n, tree (n - 1), tree (Int.max 0 (n - 2)))

let rec tree_add = function
  | Leaf -> 0
  | Node (n, l, r) -> n + tree_add l + tree_add r

let rec ptree_add = function
  | Leaf -> 0
  | Node (n, l, r) ->
      pval
        (fun () -> ptree_add l)
        (fun a ->
          let b = ptree_add r in
          n + a () + b)

let safe column placed =
  let rec ok distance = function
    | [] -> true
    | c :: rest ->
        c <> column && abs (c - column) <> distance && ok (distance + 1) rest
  in
  ok 1 placed

let rec queens n placed row =
  if row = n then 1
  else
    List.init n Fun.id
    |> List.filter (fun c -> safe c placed)
    |> List.fold_left (fun k c -> k + queens n (c :: placed) (row + 1)) 0

let rec pqueens n placed row =
  if row = n then 1
  else
    let rec sum = function
      | [] -> 0
      | c :: rest ->
          pval
            (fun () -> pqueens n (c :: placed) (row + 1))
            (fun first ->
              let others = sum rest in
              first () + others)
    in
    List.init n Fun.id |> List.filter (fun c -> safe c placed) |> sum

let test_results () =
  let t = tree 14 in
  let by_hand = (fib 16, tree_add t, queens 6 [] 0) in
  everywhere (fun what inside ->
      let a, b, c = by_hand in
      check_int ("fib " ^ what) a (inside (fun () -> pfib 16));
      check_int
        ("fib with contexts " ^ what)
        a
        (inside (fun () -> pfib_ctx (Stealing.Ctx.get ()) 16));
      check_int ("tree " ^ what) b (inside (fun () -> ptree_add t));
      check_int ("queens " ^ what) c (inside (fun () -> pqueens 6 [] 0)))

let test_outside () = check_int "no run" 55 (pfib 10)

(* Branches that wait at every level. *)
let rec waiting n =
  if n < 2 then n
  else
    pval
      (fun () ->
        Sched.yield ();
        let p = Dromos.async (fun () -> waiting (n - 1)) in
        Dromos.await p)
      (fun a ->
        Sched.yield ();
        let b = waiting (n - 2) in
        a () + b)

let test_waiting () =
  everywhere (fun what inside ->
      (* The tasks are the root's, and the busy fibers leave the root no
         turn. *)
      if not (String.starts_with ~prefix:"beside" what) then
        check_int what (fib 10) (inside (fun () -> waiting 10)))

(* In another run the storage still has the scheduler around. *)
let test_other_run () =
  let elsewhere f = Dromos.blocking (fun () -> Dromos.run ~workers:1 f) in
  let refused f =
    match f () with
    | () -> Alcotest.fail "not refused"
    | exception Invalid_argument _ -> ()
  in
  let spawn () = Stealing.spawn ignore in
  let sum () =
    let pieces =
      List.init 100 (fun _ () ->
          pval Sched.yield (fun x ->
              Sched.yield ();
              x ();
              Sched.Vproc.count ()))
    in
    List.fold_left ( + ) 0 (Dromos.all pieces)
  in
  let over = Atomic.make false in
  let busy () =
    while not (Atomic.get over) do
      ignore (pfib 5 : int);
      Sched.yield ()
    done
  in
  Dromos.run ~workers:2 (fun () ->
      (* The fiber was made first, and its scope waited for the fiber. *)
      refused spawn;
      Stealing.run (fun () ->
          Stealing.spawn busy;
          elsewhere (fun () -> refused spawn);
          elsewhere (fun () -> check_int "workers" 100 (sum ()));
          Atomic.set over true))

(* Many readers of a late value. *)
let test_readers () =
  everywhere (fun what inside ->
      let sum =
        inside (fun () ->
            let gate = Dromos.Promise.create () in
            pval
              (fun () -> Dromos.await gate)
              (fun x ->
                ignore (Dromos.Promise.try_resolve gate (Ok 7));
                let a, (b, c) =
                  Dromos.both x (fun () -> Dromos.both x (fun () -> x ()))
                in
                a + b + c))
      in
      check_int what 21 sum)

(* {1 Exceptions} *)

exception Left of int
exception Body of int

(* The deeds of the part and of the body, in every combination; the outcome
   equals the outcome of sequential evaluation. *)
type deed = Return | Wait | Fail | Fail_late | Deep

let deeds = [ Return; Wait; Fail; Fail_late; Deep ]

let carry_out e = function
  | Return -> 1
  | Wait ->
      Sched.yield ();
      Dromos.sleep 1e-4;
      2
  | Fail -> raise e
  | Fail_late ->
      Dromos.sleep 2e-4;
      raise e
  | Deep -> pfib 8

let outcome f =
  match f () with
  | v -> Printf.sprintf "%d" v
  | exception Left n -> Printf.sprintf "Left %d" n
  | exception Body n -> Printf.sprintf "Body %d" n
  | exception e -> Printexc.to_string e

let test_exceptions () =
  everywhere (fun what inside ->
      List.iter
        (fun first ->
          List.iter
            (fun second ->
              let program pval () =
                pval
                  (fun () -> carry_out (Left 1) first)
                  (fun x ->
                    let v = carry_out (Body 2) second in
                    v + x ())
              in
              let in_order e body =
                let v = e () in
                body (fun () -> v)
              in
              let expected = outcome (program in_order) in
              Watch.check Alcotest.string what expected
                (outcome (fun () -> inside (program pval))))
            deeds)
        deeds)

(* Raised by the [n]th leaf of a tree of bindings, for each [n]. *)
let rec raising at count depth =
  if depth = 0 then begin
    let n = Atomic.fetch_and_add count 1 in
    if n = at then raise (Left depth);
    1
  end
  else
    pval
      (fun () -> raising at count (depth - 1))
      (fun a ->
        let b = raising at count (depth - 1) in
        a () + b)

let test_raise_anywhere () =
  everywhere (fun what inside ->
      for at = 0 to 16 do
        let expected = if at < 16 then "Left 0" else "16" in
        Watch.check Alcotest.string
          (Printf.sprintf "%s, leaf %d" what at)
          expected
          (outcome (fun () -> inside (fun () -> raising at (Atomic.make 0) 4)))
      done)

(* {1 Cancellation} *)

(* Runs until cancelled; sets [started] at the beginning, and [stopped] at the
   end. *)
let for_ever started stopped () =
  Fun.protect
    (fun () ->
      Atomic.set started true;
      while true do
        ignore (pfib 5 : int);
        Sched.yield ()
      done)
    ~finally:(fun () -> Atomic.set stopped true)

let wait_until flag =
  while not (Atomic.get flag) do
    Dromos.yield ()
  done

let test_body_cancelled () =
  List.iter
    (fun workers ->
      Dromos.run ~workers (fun () ->
          for _ = 1 to 20 do
            let started = Atomic.make false and stopped = Atomic.make false in
            (match
               Stealing.run (fun () ->
                   pval
                     (fun () ->
                       Dromos.sleep 1e-4;
                       wait_until started;
                       raise (Left 0))
                     (fun _ -> pval (for_ever started stopped) (fun x -> x ())))
             with
            | () -> Alcotest.fail "no exception"
            | exception Left 0 -> ());
            Watch.check Alcotest.bool "stopped" true (Atomic.get stopped)
          done))
    [ 2; 4 ]

let test_value_not_needed () =
  let waits =
    [
      (fun () -> Dromos.sleep 1000.);
      (fun () -> for_ever (Atomic.make false) (Atomic.make false) ());
    ]
  in
  List.iter
    (fun wrap ->
      List.iter
        (fun wait ->
          List.iter
            (fun workers ->
              Dromos.run ~workers (fun () ->
                  for i = 1 to 10 do
                    let stopped = Atomic.make false in
                    let r =
                      Stealing.run (fun () ->
                          pval
                            (fun () ->
                              Fun.protect
                                (fun () ->
                                  wrap (fun () ->
                                      Dromos.sleep 1e-4;
                                      wait ()))
                                ~finally:(fun () -> Atomic.set stopped true))
                            (fun _ -> i))
                    in
                    check_int "the body's" i r;
                    Watch.check Alcotest.bool "stopped" true
                      (Atomic.get stopped)
                  done))
            [ 1; 2; 4 ])
        waits)
    [
      (fun f -> f ());
      (fun f -> Dromos.Scope.run (fun _ -> f ()));
      (fun f -> Dromos.Scope.run (fun _ -> Dromos.Scope.run (fun _ -> f ())));
      (fun f -> pval f (fun x -> x ()));
      (fun f ->
        Dromos.await (Dromos.Scope.run (fun s -> Dromos.Scope.async s f)));
      (fun f ->
        Dromos.protect (fun () -> Dromos.sleep 1e-3);
        f ());
    ]

let test_outer_cancel () =
  List.iter
    (fun workers ->
      Dromos.run ~workers (fun () ->
          for i = 1 to 20 do
            let started = Atomic.make false and stopped = Atomic.make false in
            Dromos.Scope.run (fun scope ->
                Dromos.Scope.fork scope (fun () ->
                    Stealing.run (fun () ->
                        pval (for_ever started stopped) (fun x ->
                            if i mod 2 = 0 then x () else Dromos.sleep 1000.)));
                wait_until started;
                Dromos.Scope.cancel scope);
            Watch.check Alcotest.bool "stopped" true (Atomic.get stopped)
          done))
    [ 1; 2; 4 ]

(* A task that a body has put into a scope around the pval belongs to that
   scope: the task outlives the cancelled body, and the scope waits for the
   task. *)
let test_outer_scope () =
  let put scope =
    [
      (fun f -> Dromos.Scope.fork scope f);
      (fun f -> ignore (Dromos.Scope.async scope f : unit Dromos.Promise.t));
    ]
  in
  List.iter
    (fun workers ->
      List.iter
        (fun which ->
          let begun = Atomic.make false and ended = Atomic.make false in
          let gate = Dromos.Promise.create () in
          Dromos.run ~workers (fun () ->
              Stealing.run (fun () ->
                  Dromos.Scope.run (fun scope ->
                      (match
                         pval
                           (fun () ->
                             wait_until begun;
                             raise (Left 0))
                           (fun x ->
                             (List.nth (put scope) which) (fun () ->
                                 Dromos.await gate;
                                 Sched.yield ();
                                 Atomic.set ended true);
                             Atomic.set begun true;
                             x ())
                       with
                      | () -> Alcotest.fail "no exception"
                      | exception Left 0 -> ());
                      Watch.check Alcotest.bool "goes on" false
                        (Atomic.get ended);
                      ignore (Dromos.Promise.try_resolve gate (Ok ())));
                  Watch.check Alcotest.bool "ended" true (Atomic.get ended))))
        [ 0; 1 ])
    [ 1; 2; 4 ]

(* A fiber of the scheduler spawned by the body has no scope except the one
   around: the fiber outlives the body too. A task in a scope of the body's own
   ends with the body. *)
let test_spawned_outside () =
  List.iter
    (fun workers ->
      let begun = Atomic.make false and stopped = Atomic.make false in
      let ended = Atomic.make false and inner = Atomic.make false in
      Dromos.run ~workers (fun () ->
          Stealing.run (fun () ->
              match
                pval
                  (fun () ->
                    wait_until begun;
                    raise (Left 0))
                  (fun x ->
                    Sched.spawn (fun () ->
                        wait_until stopped;
                        Atomic.set ended true);
                    Dromos.Scope.run (fun scope ->
                        Dromos.Scope.fork scope (for_ever inner stopped);
                        wait_until inner;
                        Atomic.set begun true;
                        x ()))
              with
              | () -> Alcotest.fail "no exception"
              | exception Left 0 ->
                  Watch.check Alcotest.bool "its own scope is over" true
                    (Atomic.get stopped));
          Watch.check Alcotest.bool "ended" true (Atomic.get ended)))
    [ 1; 2; 4 ]

(* A part cancelled as not needed: a task that the part has put into a scope
   around continues, and the scope waits for the task; a task in a scope of the
   part's own ends with the part. *)
let put_in_outer_scope =
  let module Scope = Dromos.Scope in
  [
    ("fork", fun scope f -> Scope.fork scope f);
    ( "async in it",
      fun scope f -> ignore (Scope.async scope f : unit Dromos.Promise.t) );
    ("async", fun _ f -> ignore (Dromos.async f : unit Dromos.Promise.t));
    ("spawn", fun _ f -> Sched.spawn f);
    ("its spawn", fun _ f -> Stealing.spawn f);
  ]

(* The part ends only when cancelled; [ready] is called when all is as it should
   be then. *)
let part_with_offspring ~put ~ready ~offspring ~inner ~stopped () =
  put offspring;
  Dromos.Scope.run (fun own ->
      Dromos.Scope.fork own (for_ever inner stopped);
      wait_until inner;
      ignore (Dromos.Promise.try_resolve ready (Ok ()));
      Dromos.sleep 1000.)

let once_not_needed ~workers (what, put) =
  let what = Printf.sprintf "%s, %d workers" what workers in
  let inner = Atomic.make false and stopped = Atomic.make false in
  let ended = Atomic.make false in
  let gate = Dromos.Promise.create () and ready = Dromos.Promise.create () in
  let offspring () =
    Dromos.await gate;
    Sched.yield ();
    Atomic.set ended true
  in
  Dromos.run ~workers (fun () ->
      Stealing.run (fun () ->
          Dromos.Scope.run (fun scope ->
              let r =
                pval
                  (part_with_offspring ~put:(put scope) ~ready ~offspring ~inner
                     ~stopped)
                  (fun _ ->
                    Dromos.await ready;
                    7)
              in
              check_int (what ^ ": the body's") 7 r;
              Watch.check Alcotest.bool
                (what ^ ": its own scope is over")
                true (Atomic.get stopped);
              Dromos.sleep 1e-3;
              Watch.check Alcotest.bool (what ^ ": goes on") false
                (Atomic.get ended);
              ignore (Dromos.Promise.try_resolve gate (Ok ())));
          Watch.check Alcotest.bool (what ^ ": ended") true (Atomic.get ended)))

let test_outlives_not_needed () =
  List.iter
    (fun workers -> List.iter (once_not_needed ~workers) put_in_outer_scope)
    [ 1; 2; 4 ]

(* An exception of such a task fails the outer scope, although the part was not
   needed. *)
let test_offspring_raises () =
  List.iter
    (fun workers ->
      let gate = Dromos.Promise.create ()
      and ready = Dromos.Promise.create () in
      let offspring () =
        Dromos.await gate;
        raise (Left 5)
      in
      let program () =
        Dromos.Scope.run (fun scope ->
            let r =
              pval
                (fun () ->
                  Dromos.Scope.fork scope offspring;
                  ignore (Dromos.Promise.try_resolve ready (Ok ()));
                  Dromos.sleep 1000.)
                (fun _ ->
                  Dromos.await ready;
                  7)
            in
            ignore (Dromos.Promise.try_resolve gate (Ok ()));
            r)
      in
      Watch.check Alcotest.string
        (Printf.sprintf "%d workers" workers)
        "Left 5"
        (outcome (fun () ->
             Dromos.run ~workers (fun () -> Stealing.run program))))
    [ 1; 2; 4 ]

(* The part runs protected, below a cancelled node, and raises [Cancelled]
   itself. The body was published when the part polled (inside a scheduler only
   if a worker is idle); perhaps no worker has begun the body. *)
let raises_cancelled () =
  pval
    (fun () ->
      ignore (pfib 6 : int);
      raise Dromos.Cancelled)
    (fun x -> x ())

let test_raises_cancelled () =
  everywhere (fun what inside ->
      let seen = ref "not run" in
      (match
         inside (fun () ->
             Dromos.Scope.run (fun scope ->
                 Dromos.Scope.cancel scope;
                 Dromos.protect (fun () -> seen := outcome raises_cancelled));
             0)
       with
      | _ -> ()
      | exception Dromos.Cancelled -> ());
      Watch.check Alcotest.string what "Dromos.Cancelled" !seen)

(* {1 Beside the gang, and preempted} *)

(* Futures in either part of a binding, and bindings in futures. *)
let test_futures () =
  let module Gang = Sched.Gang in
  let rec sum n =
    if n < 2 then n
    else
      let other = Gang.future1 (fun () -> pfib (n mod 7)) in
      pval
        (fun () ->
          let f = Gang.future1 (fun () -> sum (n - 1)) in
          let here = pfib (n mod 5) in
          here + Gang.touch1 f)
        (fun x ->
          let f = Gang.future1 (fun () -> sum (n - 2)) in
          let v = x () in
          v + Gang.touch1 f + Gang.touch1 other)
  in
  let rec by_hand n =
    if n < 2 then n
    else fib (n mod 7) + fib (n mod 5) + by_hand (n - 1) + by_hand (n - 2)
  in
  let fails () =
    pval
      (fun () -> Gang.touch1 (Gang.future1 (fun () -> raise (Left 3))))
      (fun x -> Gang.touch1 (Gang.future1 (fun () -> x () + raise (Body 4))))
  in
  List.iter
    (fun workers ->
      let both_ways =
        [
          (fun f -> Stealing.run (fun () -> Gang.run f));
          (fun f -> Gang.run (fun () -> Stealing.run f));
        ]
      in
      List.iter
        (fun inside ->
          Dromos.run ~workers (fun () ->
              check_int "sum" (by_hand 10) (inside (fun () -> sum 10));
              Watch.check Alcotest.string "exception" "Left 3"
                (outcome (fun () -> inside fails))))
        both_ways)
    [ 1; 2; 4 ]

(* Loops without a call of Dromos, several quanta in all; a fiber is taken off
   its vproc at any place in the loop. *)
let compute n =
  let x = ref 0 in
  for i = 1 to n do
    x := Sys.opaque_identity (!x + (i land 3))
  done;
  !x

let test_preempted () =
  let length = 300_000 in
  let each = compute length in
  let rec sum depth =
    if depth = 0 then compute length
    else
      pval
        (fun () -> sum (depth - 1))
        (fun x ->
          let b = sum (depth - 1) in
          b + compute length + x ())
  in
  let rec failing at count depth =
    if depth = 0 then
      let n = Atomic.fetch_and_add count 1 in
      let v = compute length in
      if n = at then raise (Left v) else 1
    else
      pval
        (fun () -> failing at count (depth - 1))
        (fun x ->
          let b = failing at count (depth - 1) in
          x () + b)
  in
  let preemptions = ref 0 in
  let places =
    [
      (fun f -> Stealing.run f);
      (fun f -> Sched.Round_robin.run (fun () -> Stealing.run f));
      (fun f -> in_round_robin f);
    ]
  in
  List.iter
    (fun workers ->
      List.iter
        (fun inside ->
          Dromos.run ~workers (fun () ->
              Sched.Preemption.run ~quantum:0.001 (fun () ->
                  check_int "sum"
                    (((2 * 32) - 1) * each)
                    (inside (fun () -> sum 5));
                  Watch.check Alcotest.string "exception"
                    (Printf.sprintf "Left %d" each)
                    (outcome (fun () ->
                         inside (fun () -> failing 3 (Atomic.make 0) 4)));
                  let { Sched.Preemption.preemptions = n; _ } =
                    Sched.Preemption.counts ()
                  in
                  preemptions := !preemptions + n)))
        places)
    [ 1; 2; 4 ];
  if !preemptions = 0 then Alcotest.fail "nothing was preempted"

(* {1 Fibers} *)

let test_spawn () =
  everywhere (fun what inside ->
      let count = Atomic.make 0 in
      check_int what 0
        (inside (fun () ->
             if String.starts_with ~prefix:"no" what then Atomic.set count 100
             else
               for _ = 1 to 100 do
                 Stealing.spawn (fun () ->
                     Sched.yield ();
                     Atomic.incr count)
               done;
             0));
      check_int what 100 (Atomic.get count))

(* A worker woken for one fiber finds another fiber, which only this worker may
   take, and is busy with it for long: a third worker takes the first fiber. *)
let test_woken_for_another () =
  Dromos.run ~workers:3 (fun () ->
      Stealing.run (fun () ->
          for round = 1 to 100 do
            (* The other workers go to sleep. *)
            Dromos.sleep 2e-3;
            let here = Sched.Vproc.host () in
            let others =
              List.filter
                (fun v -> not (Sched.Vproc.equal v here))
                (Sched.Vproc.all ())
            in
            let taken = Atomic.make false in
            let until_taken () =
              let start = Unix.gettimeofday () in
              while
                (not (Atomic.get taken)) && Unix.gettimeofday () < start +. 10.
              do
                Unix.sleepf 1e-4
              done
            in
            let tied = Sched.fiber until_taken in
            Stealing.spawn (fun () -> Atomic.set taken true);
            Stealing.give (List.nth others (round mod 2)) tied;
            until_taken ();
            Watch.check Alcotest.bool "taken" true (Atomic.get taken)
          done))

let used_at_rest () =
  let used = ref infinity in
  Dromos.run ~workers:4 (fun () ->
      Stealing.run (fun () ->
          Dromos.sleep 0.1;
          let before = Sys.time () in
          Dromos.sleep 0.5;
          used := Sys.time () -. before));
  !used

let test_at_rest () = Watch.rests ~most:0.2 used_at_rest

let test_no_leak () =
  let live () =
    Gc.full_major ();
    (Gc.stat ()).live_words
  in
  Dromos.run ~workers:2 (fun () ->
      Stealing.run (fun () ->
          let rounds n =
            for _ = 1 to n do
              try
                pval
                  (fun () ->
                    Sched.yield ();
                    raise Exit)
                  (fun _ -> Sched.yield ())
              with Exit -> ()
            done
          in
          rounds 1000;
          let before = live () in
          rounds 20_000;
          let grown = live () - before in
          if grown > 50_000 then Alcotest.failf "%d words more are live" grown))

let case = Watch.case

let () =
  Watch.suite "Stealing" (fun () ->
      Alcotest.run ~and_exit:false "Stealing"
        [
          ( "results",
            [
              case "as in sequence" test_results;
              case "outside a run" test_outside;
              case "in another run" test_other_run;
              case "branches that wait" test_waiting;
              case "many readers" test_readers;
            ] );
          ( "exceptions",
            [
              case "every combination" test_exceptions;
              case "every position" test_raise_anywhere;
            ] );
          ( "cancellation",
            [
              case "the body, by the value's exception" test_body_cancelled;
              case "the value, not needed" test_value_not_needed;
              case "from outside" test_outer_cancel;
              case "not the fibers of a scope around" test_outer_scope;
              case "not fibers of the scheduler" test_spawned_outside;
              case "not the handlers around a part that is not needed"
                test_outlives_not_needed;
              case "the exceptions that it raises" test_offspring_raises;
              case "raised by the part itself" test_raises_cancelled;
            ] );
          ( "beside others",
            [
              case "futures of a gang" test_futures;
              case "forced preemption" test_preempted;
            ] );
          ( "fibers",
            [
              case "spawned" test_spawn;
              case "woken for another" test_woken_for_another;
              case "rest" test_at_rest;
              case "no leak" test_no_leak;
            ] );
        ])
