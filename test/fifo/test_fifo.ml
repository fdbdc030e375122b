module Fifo = Dromos.Fifo
module Promise = Dromos_sync.Promise

let check = Alcotest.check

exception Wrong of int

(* Collects the fibers' lines, in order; one thread writes. *)
let log () =
  let all = ref [] in
  ((fun s -> all := s :: !all), fun () -> List.rev !all)

let fork f = ignore (Fifo.fork f : Fifo.handle)

let later ?(after = 0.002) f =
  ignore
    (Thread.create
       (fun () ->
         Thread.delay after;
         f ())
       ()
      : Thread.t)

(* {1 Turns} *)

let first_come () =
  let say, said = log () in
  Fifo.run (fun () ->
      List.iter
        (fun name ->
          fork (fun () ->
              say (name ^ "1");
              Fifo.yield ();
              say (name ^ "2")))
        [ "a"; "b"; "c" ];
      say "main");
  check
    Alcotest.(list string)
    "turns"
    [ "a1"; "b1"; "a2"; "c1"; "b2"; "main"; "c2" ]
    (said ())

let waits_for_all () =
  let over = ref 0 in
  let v =
    Fifo.run (fun () ->
        for _ = 1 to 10 do
          fork (fun () ->
              let p = Promise.create () in
              later (fun () -> Promise.resolve p ());
              Promise.await p;
              incr over)
        done;
        42)
  in
  check Alcotest.int "value" 42 v;
  check Alcotest.int "over" 10 !over

let many_fibers () =
  let n = 100_000 and sum = ref 0 in
  Fifo.run (fun () ->
      let p = Promise.create () in
      for i = 1 to n do
        fork (fun () -> sum := !sum + (i * Promise.await p))
      done;
      Promise.resolve p 1);
  check Alcotest.int "sum" (n * (n + 1) / 2) !sum

(* Each fiber forks the next: the stack must not grow with the number of
   fibers. *)
let chain_of_forks () =
  let n = 200_000 and count = ref 0 in
  let rec next i () =
    incr count;
    if i < n then fork (next (i + 1))
  in
  Fifo.run (next 1);
  check Alcotest.int "fibers" n !count

(* {1 Cancelling} *)

let cancelled_yielder () =
  let turns = ref 0 in
  Fifo.run (fun () ->
      let fiber =
        Fifo.fork (fun () ->
            while true do
              incr turns;
              Fifo.yield ()
            done)
      in
      Fifo.yield ();
      Fifo.cancel fiber;
      Fifo.cancel fiber);
  check Alcotest.int "turns" 2 !turns

let cancelled_forker () =
  let forked = ref false and raised = ref false in
  Fifo.run (fun () ->
      let own = Promise.create () in
      let fiber =
        Fifo.fork (fun () ->
            Fifo.cancel (Promise.await own);
            match fork (fun () -> forked := true) with
            | () -> ()
            | exception Fifo.Cancelled ->
                raised := true;
                raise Fifo.Cancelled)
      in
      Promise.resolve own fiber);
  check
    Alcotest.(pair bool bool)
    "raised, not forked" (true, false) (!raised, !forked)

(* A cancelled fiber may still return, or fail. *)
let cancelled_and_raising () =
  let cancelled_with end_ =
    Fifo.run (fun () ->
        let p = Promise.create () in
        let fiber =
          Fifo.fork (fun () ->
              try Promise.await p with Fifo.Cancelled -> end_ ())
        in
        Fifo.cancel fiber;
        7)
  in
  check Alcotest.int "ends well" 7 (cancelled_with ignore);
  Alcotest.check_raises "fails" (Wrong 1) (fun () ->
      ignore (cancelled_with (fun () -> raise (Wrong 1))))

let cancelled_from_a_domain () =
  let handle = Promise.create () in
  let canceller = Domain.spawn (fun () -> Fifo.cancel (Promise.await handle)) in
  Fifo.run (fun () ->
      let fiber = Fifo.fork (fun () -> Promise.await (Promise.create ())) in
      Promise.resolve handle fiber);
  Domain.join canceller

(* {1 Failures} *)

let failure_ends_all () =
  let say, said = log () in
  let waiting name =
    try Promise.await (Promise.create ())
    with Fifo.Cancelled ->
      say name;
      raise Fifo.Cancelled
  in
  Alcotest.check_raises "the first" (Wrong 1) (fun () ->
      Fifo.run (fun () ->
          fork (fun () -> waiting "waiting");
          fork (fun () ->
              Fifo.yield ();
              raise (Wrong 1));
          fork (fun () ->
              try Promise.await (Promise.create ())
              with Fifo.Cancelled -> raise (Wrong 2));
          waiting "main"));
  check
    Alcotest.(list string)
    "all were cancelled" [ "main"; "waiting" ]
    (List.sort compare (said ()))

let failure_of_main () =
  Alcotest.check_raises "main's" (Wrong 3) (fun () ->
      Fifo.run (fun () ->
          fork (fun () -> Promise.await (Promise.create ()));
          raise (Wrong 3)))

(* [Cancelled] from a fiber that was not cancelled is a failure. *)
let somebody_elses_cancelled () =
  Alcotest.check_raises "it is raised" Fifo.Cancelled (fun () ->
      Fifo.run (fun () -> fork (fun () -> raise Fifo.Cancelled)))

let[@inline never] raise_here () = raise (Wrong (Sys.opaque_identity 4))

let backtrace () =
  Printexc.record_backtrace true;
  match
    Fifo.run (fun () ->
        fork (fun () ->
            Fifo.yield ();
            raise_here ()))
  with
  | () -> Alcotest.fail "no exception"
  | exception Wrong 4 ->
      let text = Printexc.get_backtrace () in
      let line = List.hd (String.split_on_char '\n' text) in
      if
        not
          (String.starts_with ~prefix:"Raised at" line
          && List.mem __FILE__
               (List.map (fun part -> part) (String.split_on_char '"' line)))
      then Alcotest.failf "the backtrace starts with %S" line

(* {1 Misuse} *)

let outside () =
  let refused what f =
    match f () with
    | () -> Alcotest.failf "%s: no exception" what
    | exception Invalid_argument text ->
        if not (String.starts_with ~prefix:"Fifo." text) then
          Alcotest.failf "%s: %s" what text
  in
  refused "fork" (fun () -> fork ignore);
  refused "yield" Fifo.yield;
  Fifo.run (fun () ->
      Domain.join (Domain.spawn (fun () -> refused "in a domain" Fifo.yield));
      refused "in a task of a run that is over" (fun () ->
          Effect.Deep.match_with
            (fun () -> Domain.join (Domain.spawn Fifo.yield))
            ()
            { retc = Fun.id; exnc = raise; effc = (fun _ -> None) }))

exception Of_block

let raising_block () =
  Alcotest.check_raises "the waiter has it" Of_block (fun () ->
      Fifo.run (fun () -> Dromos_suspend.suspend (fun _ -> raise Of_block)));
  let v =
    Fifo.run (fun () ->
        Dromos_suspend.suspend (fun resume ->
            ignore (resume (Ok 3));
            raise Of_block))
  in
  check Alcotest.int "unless it was resumed" 3 v

(* {1 Surroundings of a run} *)

(* While the inner run waits, the surrounding tasks continue. *)
let idle_suspends go () =
  let said =
    go (fun (async, await) ->
        let say, said = log () in
        let p = Promise.create () in
        let inner =
          async (fun () ->
              say "in";
              Fifo.run (fun () ->
                  fork (fun () -> Promise.await p);
                  Promise.await p);
              say "out")
        in
        let resolver =
          async (fun () ->
              say "outside";
              Promise.resolve p ())
        in
        await inner;
        await resolver;
        said ())
  in
  check Alcotest.(list string) "order" [ "in"; "outside"; "out" ] said

let in_fifo f =
  let async body =
    let p = Promise.create () in
    fork (fun () -> Promise.resolve p (body ()));
    p
  in
  Fifo.run (fun () -> f (async, Promise.await))

let in_dromos hub f =
  Dromos.run ~workers:1 ~hub (fun () ->
      f
        ( (fun body ->
            let p = Dromos.async body in
            Dromos.yield ();
            p),
          Dromos.await ))

(* Each inner run is on some worker; fibers of all runs resume each other. *)
let many_in_dromos () =
  let rings = 8 and size = 50 in
  let total =
    Dromos.run ~workers:3 (fun () ->
        let ring () =
          let sum = ref 0 in
          Fifo.run (fun () ->
              let first = Promise.create () in
              let rec link i p =
                if i < size then begin
                  let q = Promise.create () in
                  fork (fun () ->
                      let v = Promise.await p in
                      if i mod 7 = 0 then Dromos.sleep 0.0005;
                      incr sum;
                      Promise.resolve q (v + 1));
                  link (i + 1) q
                end
                else fork (fun () -> sum := !sum + Promise.await p)
              in
              link 0 first;
              Promise.resolve first 0);
          !sum
        in
        List.fold_left ( + ) 0
          (List.map Dromos.await (List.init rings (fun _ -> Dromos.async ring))))
  in
  check Alcotest.int "total" (rings * 2 * size) total

(* A cancellation of the surrounding task is handled like a fiber's
   exception. *)
let surroundings_cancelled () =
  let cleaned = ref 0 in
  Dromos.run ~workers:2 (fun () ->
      match
        Dromos.Scope.run (fun scope ->
            Dromos.Scope.fork scope (fun () ->
                Fifo.run (fun () ->
                    for _ = 1 to 10 do
                      fork (fun () ->
                          Fun.protect
                            (fun () -> Promise.await (Promise.create ()))
                            ~finally:(fun () -> incr cleaned))
                    done));
            Dromos.sleep 0.01;
            Dromos.Scope.cancel scope)
      with
      | () | (exception Dromos.Cancelled) -> ());
  check Alcotest.int "fibers that were cancelled" 10 !cleaned

(* The other direction: forks of Dromos in fibers that take turns. *)
let both_in_fibers () =
  let rec fib n =
    if n < 2 then n
    else
      let a, b = Dromos.both (fun () -> fib (n - 1)) (fun () -> fib (n - 2)) in
      if n = 6 then Fifo.yield ();
      a + b
  in
  let rec sequential n =
    if n < 2 then n else sequential (n - 1) + sequential (n - 2)
  in
  (* With one worker, a branch runs inside its Fifo; a second worker would run
     the branch outside. *)
  let sum =
    Dromos.run ~workers:1 (fun () ->
        let sum = ref 0 in
        Fifo.run (fun () ->
            for i = 8 to 12 do
              fork (fun () -> sum := !sum + fib i)
            done);
        !sum)
  in
  let expected =
    List.fold_left (fun s n -> s + sequential n) 0 [ 8; 9; 10; 11; 12 ]
  in
  check Alcotest.int "sum" expected sum

let dromos_in_fibers () =
  let say, said = log () in
  Fifo.run (fun () ->
      fork (fun () ->
          let v =
            Dromos.run ~workers:2 (fun () ->
                fst (Dromos.both (fun () -> 1) (fun () -> 2)))
          in
          say (string_of_int v));
      say "main");
  check Alcotest.(list string) "order" [ "1"; "main" ] (said ())

let in_threads () =
  let body () =
    Fifo.run (fun () ->
        let p = Promise.create () in
        later (fun () -> Promise.resolve p 1);
        fork (fun () -> ignore (Promise.await p));
        Promise.await p)
  in
  check Alcotest.int "domain" 1 (Domain.join (Domain.spawn body));
  let sum = Atomic.make 0 in
  let threads =
    List.init 5 (fun _ ->
        Thread.create (fun () -> ignore (Atomic.fetch_and_add sum (body ()))) ())
  in
  List.iter Thread.join threads;
  check Alcotest.int "threads" 5 (Atomic.get sum)

(* {1 Stress} *)

(* Domains resume and cancel fibers at random moments. Each fiber ends once; a
   fiber is resumed if and only if its resumer returned [true]. *)
let storm () =
  let n = 3000 in
  let resumers = Array.init n (fun _ -> Atomic.make None) in
  let handles = Array.init n (fun _ -> Atomic.make None) in
  let handed = Array.make n false in
  let rec there cell =
    match Atomic.get cell with
    | Some x -> x
    | None ->
        Domain.cpu_relax ();
        there cell
  in
  let resume () =
    for i = 0 to n - 1 do
      let (resume : int Dromos_suspend.resumer) = there resumers.(i) in
      handed.(i) <- resume (Ok i)
    done
  in
  let cancel seed () =
    let chance = Random.State.make [| Watch.seed; seed |] in
    for i = 0 to n - 1 do
      if Random.State.int chance 3 = 0 then Fifo.cancel (there handles.(i))
    done
  in
  let got = Array.make n 0 and cancelled = Array.make n 0 in
  let domains = List.map Domain.spawn [ resume; cancel 1 ] in
  Fifo.run (fun () ->
      for i = 0 to n - 1 do
        let h =
          Fifo.fork (fun () ->
              match
                Dromos_suspend.suspend (fun r ->
                    Atomic.set resumers.(i) (Some r);
                    None)
              with
              | v -> got.(v) <- got.(v) + 1
              | exception Fifo.Cancelled -> cancelled.(i) <- cancelled.(i) + 1)
        in
        Atomic.set handles.(i) (Some h);
        if i mod 10 = 0 then Fifo.yield ()
      done);
  List.iter Domain.join domains;
  for i = 0 to n - 1 do
    if got.(i) + cancelled.(i) <> 1 || got.(i) = 1 <> handed.(i) then
      Alcotest.failf "fiber %d: %d values, %d cancellations, handed: %b" i
        got.(i) cancelled.(i) handed.(i)
  done;
  Printf.printf "%d of %d cancelled\n" (Array.fold_left ( + ) 0 cancelled) n

let nothing_left () =
  let live () =
    Gc.full_major ();
    (Gc.stat ()).live_words
  in
  let left =
    Fifo.run (fun () ->
        let before = live () in
        for _ = 1 to 50_000 do
          let fiber = Fifo.fork (fun () -> Promise.await (Promise.create ())) in
          Fifo.cancel fiber;
          Fifo.yield ()
        done;
        live () - before)
  in
  Printf.printf "words left by 50000 cancelled fibers: %d\n" left;
  if left > 2000 then Alcotest.failf "%d words are left" left

(* An idle run sleeps. *)
let idle_costs_nothing () =
  let cpu =
    Fifo.run (fun () ->
        let p = Promise.create () in
        let before = Sys.time () in
        later ~after:0.4 (fun () -> Promise.resolve p ());
        Promise.await p;
        Sys.time () -. before)
  in
  if cpu > 0.2 then Alcotest.failf "%.3f s of CPU time while waiting 0.4 s" cpu

let suites =
  let case = Watch.case in
  [
    ( "turns",
      [
        case "first come, first served" first_come;
        case "run waits for all" waits_for_all;
        case "many fibers" many_fibers;
        case "a chain of forks" chain_of_forks;
      ] );
    ( "cancel",
      [
        case "a fiber that yields" cancelled_yielder;
        case "a fiber that forks" cancelled_forker;
        case "how it ends" cancelled_and_raising;
        case "from a domain" cancelled_from_a_domain;
        case "nothing is left" nothing_left;
      ] );
    ( "failure",
      [
        case "the first ends all" failure_ends_all;
        case "main" failure_of_main;
        case "Cancelled without cancel" somebody_elses_cancelled;
        case "backtrace" backtrace;
      ] );
    ("misuse", [ case "outside run" outside; case "block raises" raising_block ]);
    ( "places",
      [ case "in a fiber of Fifo" (idle_suspends in_fifo) ]
      @ List.map
          (fun hub ->
            case
              ("in a fiber of Dromos, hub " ^ Dromos.Hub.name hub)
              (idle_suspends (in_dromos hub)))
          Dromos.Hub.all
      @ [
          case "many runs in Dromos" many_in_dromos;
          case "its surroundings are cancelled" surroundings_cancelled;
          case "both, in fibers" both_in_fibers;
          case "Dromos.run, in a fiber" dromos_in_fibers;
          case "domains and threads" in_threads;
        ] );
    ( "stress",
      [ case "resume and cancel" storm; case "idle" idle_costs_nothing ] );
  ]

let () = Watch.suite "fifo" (fun () -> Alcotest.run "fifo" suites)
