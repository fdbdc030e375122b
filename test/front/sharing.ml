(* The places and turns of fibers: yields, blocking calls, sleeps, stranded
   branches, fibers under C frames, migration. *)

open With_run

(* {1 Yield} *)

let yielders () =
  each_hub (fun hub ->
      List.iter
        (fun workers ->
          go ~workers ~hub (fun () ->
              let flag = Atomic.make false in
              let spinners =
                List.init (workers + 1) (fun _ ->
                    Dromos.async (fun () -> yield_until "another task" flag))
              in
              let setter = Dromos.async (fun () -> Atomic.set flag true) in
              List.iter Dromos.await (setter :: spinners);
              (* Resumed tasks run too, and branches. *)
              let flag = Atomic.make false and p = Dromos.Promise.create () in
              let waiter =
                Dromos.async (fun () ->
                    Dromos.await p;
                    Atomic.set flag true)
              in
              let spinner =
                Dromos.async (fun () ->
                    Dromos.yield ();
                    Dromos.Promise.resolve p ();
                    yield_until "a resumed task" flag)
              in
              List.iter Dromos.await [ waiter; spinner ]))
        [ 1; 2; 3 ])

(* Two fibers take turns: neither is starved. *)
let turns () =
  each_hub (fun hub ->
      go ~workers:1 ~hub (fun () ->
          let counts = Array.make 3 0 in
          let runner k =
            Dromos.async (fun () ->
                for _ = 1 to 1000 do
                  counts.(k) <- counts.(k) + 1;
                  let least = Array.fold_left Int.min max_int counts in
                  ensure "turns" (counts.(k) - least <= 100);
                  Dromos.yield ()
                done)
          in
          let runners = List.init 3 runner in
          List.iter Dromos.await runners))

(* {1 Blocking} *)

let blocking_lets_others_run () =
  go ~workers:1 (fun () ->
      let release = Atomic.make false in
      let blocked =
        Dromos.async (fun () ->
            Dromos.blocking (fun () ->
                while not (Atomic.get release) do
                  Thread.delay 0.001
                done;
                5))
      in
      Dromos.yield ();
      let sums = List.init 50 (fun i -> Dromos.async (fun () -> i)) in
      equal "others" 1225
        (List.fold_left (fun n p -> n + Dromos.await p) 0 sums);
      Atomic.set release true;
      equal "result" 5 (Dromos.await blocked))

let blocking_calls () =
  any (fun () ->
      let at_once = Atomic.make 0 and most = Atomic.make 0 in
      let call i =
        Dromos.async (fun () ->
            Dromos.blocking (fun () ->
                ensure "in a run" (not (Dromos.inside ()));
                let n = 1 + Atomic.fetch_and_add at_once 1 in
                if n > Atomic.get most then Atomic.set most n;
                Thread.delay 0.002;
                Atomic.decr at_once;
                if i mod 10 = 0 then failwith (string_of_int i);
                i))
      in
      let calls = List.init 200 call in
      List.iteri
        (fun i p ->
          match Dromos.await p with
          | v -> equal "value" i v
          | exception Failure text -> equal "failure" i (int_of_string text))
        calls;
      ensure "at most 512 at a time" (Atomic.get most <= 512);
      ensure "more than one at a time" (Atomic.get most > 1))

(* {1 Sleep} *)

let sleeps () =
  any (fun () ->
      let start = Unix.gettimeofday () in
      let order = Atomic.make [] in
      let rec note x =
        let old = Atomic.get order in
        if not (Atomic.compare_and_set order old (x :: old)) then note x
      in
      let sleeper k =
        Dromos.async (fun () ->
            let seconds = 0.02 *. float_of_int k in
            Dromos.sleep seconds;
            ensure "too early" (Unix.gettimeofday () -. start >= seconds -. 1e-4);
            note k)
      in
      List.iter Dromos.await (List.map sleeper [ 3; 1; 5; 2; 4; 0 ]);
      equal "all" 6 (List.length (Atomic.get order));
      raises "negative" (Invalid_argument "Dromos.sleep: -1 seconds") (fun () ->
          Dromos.sleep (-1.));
      (* Many cancelled sleepers leave the timer's queue. *)
      times 20 (fun _ ->
          match
            Dromos.Scope.run (fun s ->
                times 50 (fun _ ->
                    Dromos.Scope.fork s (fun () -> Dromos.sleep 1000.));
                Dromos.sleep 0.0005;
                Dromos.Scope.cancel s;
                Dromos.check ())
          with
          | () -> ()
          | exception Dromos.Cancelled -> ()))

(* {1 Stranded work} *)

(* The left branch computes, or sleeps in C, without forking, until the right
   branch has started. The result is the time until then. *)
let delay left =
  let runs = Atomic.make false and started = ref 0. in
  let start = Unix.gettimeofday () in
  ignore
    (Dromos.both
       (fun () -> left runs)
       (fun () ->
         started := Unix.gettimeofday ();
         Atomic.set runs true));
  !started -. start

let pure_spin runs =
  let stop = Unix.gettimeofday () +. 20. in
  let rec go () =
    if not (Atomic.get runs) then begin
      for _ = 1 to 10_000 do
        Domain.cpu_relax ()
      done;
      if Unix.gettimeofday () > stop then
        raise (Wrong "the right branch was left behind");
      go ()
    end
  in
  go ()

let sleep_in_c runs =
  let rec go n =
    if not (Atomic.get runs) then begin
      if n = 0 then raise (Wrong "the right branch was left behind");
      Unix.sleepf 0.01;
      go (n - 1)
    end
  in
  go 2000

let summary what delays =
  let sorted = List.sort compare delays in
  let nth k = 1000. *. List.nth sorted (k * (List.length sorted - 1) / 4) in
  Printf.printf "%s: ms from fork to start: min %.2f, median %.2f, max %.2f\n%!"
    what (nth 0) (nth 2) (nth 4)

(* On private deques a victim answers late, as the interface says. *)
let public_hubs =
  List.filter (fun h -> Dromos.Hub.name h <> "private") Dromos.Hub.all

let idle_before () =
  List.iter
    (fun hub ->
      go ~workers:2 ~hub (fun () ->
          summary
            ("idle before the fork, " ^ Dromos.Hub.name hub)
            (List.init 20 (fun i ->
                 delay (if i land 1 = 0 then pure_spin else sleep_in_c)))))
    public_hubs

(* A task, not a fork, whose maker computes on: for a sleeping worker, and for a
   worker whose domain has gone back to the pool, which takes 0.2 s. *)
let task_while_idle () =
  List.iter
    (fun hub ->
      go ~workers:2 ~hub (fun () ->
          List.iter
            (fun rest ->
              Unix.sleepf rest;
              let runs = Atomic.make false in
              let task = Dromos.async (fun () -> Atomic.set runs true) in
              pure_spin runs;
              Dromos.await task)
            [ 0.; 0.1; 0.45; 0.1 ]))
    public_hubs

(* The other worker is busy at the time of the fork, and idle a little later. *)
let idle_after () =
  List.iter
    (fun hub ->
      go ~workers:2 ~hub (fun () ->
          let one i =
            let busy = Atomic.make false and stop = Atomic.make false in
            let other =
              Dromos.async (fun () ->
                  Atomic.set busy true;
                  spin_until "the fork" stop;
                  for _ = 1 to 10_000 * (i mod 5) do
                    Domain.cpu_relax ()
                  done)
            in
            spin_until "the other worker" busy;
            let d =
              delay (fun runs ->
                  Atomic.set stop true;
                  if i land 1 = 0 then pure_spin runs else sleep_in_c runs)
            in
            Dromos.await other;
            d
          in
          summary
            ("idle after the fork, " ^ Dromos.Hub.name hub)
            (List.init 20 one)))
    public_hubs

(* A fiber forks, yields, and then computes. *)
let after_a_yield () =
  List.iter
    (fun hub ->
      go ~workers:2 ~hub (fun () ->
          summary
            ("after a yield, " ^ Dromos.Hub.name hub)
            (List.init 20 (fun _ ->
                 delay (fun runs ->
                     Dromos.yield ();
                     pure_spin runs)))))
    public_hubs

(* {1 C frames} *)

external through_c : (unit -> 'a) -> 'a = "dromos_test_through_c"

let under_c () =
  each_hub (fun hub ->
      List.iter
        (fun workers ->
          go ~workers ~hub (fun () ->
              times 10 (fun i ->
                  let p = Dromos.Promise.create () in
                  (* With one worker, the task runs only if another thread
                     takes the role of the blocked worker. *)
                  let giver =
                    Dromos.async (fun () ->
                        Dromos.yield ();
                        Dromos.Promise.resolve p i)
                  in
                  let v =
                    through_c (fun () ->
                        let a, b =
                          Dromos.both
                            (fun () -> Dromos.await p)
                            (fun () -> Dromos.yield ())
                        in
                        b;
                        ignore (Dromos.both ignore ignore);
                        a)
                  in
                  equal "value" i v;
                  Dromos.await giver;
                  (* The worker has its role back. *)
                  let a, b = Dromos.both (fun () -> 1) (fun () -> 2) in
                  equal "both" 3 (a + b);
                  Dromos.yield ());
              (* Several at a time, in tasks of their own; exceptions too. *)
              let p = Dromos.Promise.create () in
              let under =
                List.init 5 (fun i ->
                    Dromos.async (fun () ->
                        through_c (fun () ->
                            let v = Dromos.await p in
                            if i = 0 then failwith "under C" else v)))
              in
              Dromos.yield ();
              Dromos.Promise.resolve p 9;
              List.iteri
                (fun i q ->
                  if i = 0 then
                    raises "exception through C" (Failure "under C") (fun () ->
                        Dromos.await q)
                  else equal "value" 9 (Dromos.await q))
                under))
        [ 1; 2 ])

(* Cancelled under a C frame. *)
let cancelled_under_c () =
  any (fun () ->
      times 10 (fun _ ->
          raises "cancelled" Dromos.Cancelled (fun () ->
              Dromos.Scope.run (fun s ->
                  let waits = Atomic.make false in
                  Dromos.Scope.fork s (fun () ->
                      yield_until "the wait" waits;
                      Dromos.Scope.cancel s);
                  through_c (fun () ->
                      Atomic.set waits true;
                      (* No handler can cancel the wait; the promise ends the
                         wait, and the next cancellation point raises. *)
                      let p = Dromos.Promise.create () in
                      ignore
                        (Thread.create
                           (fun () ->
                             while not (Dromos.Scope.is_cancelled s) do
                               Thread.delay 0.0005
                             done;
                             Dromos.Promise.resolve p ())
                           ());
                      (try Dromos.await p with Dromos.Cancelled -> ());
                      Dromos.check ())))))

(* {1 Migration} *)

(* The fiber suspends on a domain; the domain is then kept busy until the fiber
   has continued, so the fiber must be on another domain by then. *)
let migrates () =
  List.iter
    (fun hub ->
      go ~workers:2 ~hub (fun () ->
          let moved = ref 0 and tries = ref 0 in
          while !moved < 5 && !tries < 5000 do
            incr tries;
            let p = Dromos.Promise.create () in
            let at = Atomic.make (-1) and gone_on = Atomic.make false in
            let self () = (Domain.self () :> int) in
            let fiber =
              Dromos.async (fun () ->
                  let ctx = Dromos.Ctx.get () in
                  let a, () =
                    Dromos.Ctx.both ctx
                      (fun ctx ->
                        let before = self () in
                        Atomic.set at before;
                        Dromos.await p;
                        let after = self () in
                        Atomic.set gone_on true;
                        (* The context is valid on the second domain too. *)
                        let x, y =
                          Dromos.Ctx.both ctx (fun _ -> 1) (fun _ -> 2)
                        in
                        equal "forks after the move" 3 (x + y);
                        before <> after)
                      ignore
                  in
                  ensure "the fiber has one context" (Dromos.Ctx.get () == ctx);
                  a)
            in
            while Atomic.get at < 0 do
              Dromos.yield ()
            done;
            if Atomic.get at = self () then begin
              Dromos.Promise.resolve p ();
              spin_until "the fiber" gone_on
            end
            else Dromos.Promise.resolve p ();
            if Dromos.await fiber then incr moved
          done;
          ensure "a fiber moves between domains" (!moved > 0)))
    public_hubs

let cases =
  [
    case "yielding fibers let others run" yielders;
    case "yielding fibers take turns" turns;
    case "a blocking call keeps no worker" blocking_lets_others_run;
    case "200 blocking calls" blocking_calls;
    case "sleeping" sleeps;
    case "a branch whose sibling computes, worker idle before" idle_before;
    case "a branch whose sibling computes, worker idle after" idle_after;
    case "a task whose maker computes, worker idle before" task_while_idle;
    case "a branch whose sibling yielded and computes" after_a_yield;
    case "waiting under a C frame" under_c;
    case "cancelled under a C frame" cancelled_under_c;
    case "fibers move between domains" migrates;
  ]
