module Blocking = Dromos_service.Blocking
module Host = Dromos_service.Host
module Threads = Dromos_service.Threads
module Timer = Dromos_service.Timer

let ms n = Mtime.Span.(n * ms)
let micros n = Mtime.Span.(n * us)
let check = Alcotest.check

let wait_until ?(what = "it") condition =
  let deadline = Unix.gettimeofday () +. 30. in
  while not (condition ()) do
    if Unix.gettimeofday () > deadline then
      Alcotest.failf "%s did not come in 30 s" what;
    Unix.sleepf 0.001
  done

let set span f = ignore (Timer.after span f : Timer.cancel)

(* Before anything else in the process. *)
let fork_before_use () =
  match Unix.fork () with
  | 0 -> Unix._exit 0
  | pid -> ignore (Unix.waitpid [] pid)

(* {1 The timer} *)

let in_order () =
  let log = Atomic.make [] in
  let say i () = Atomic.set log (i :: Atomic.get log) in
  List.iter (fun i -> set (ms i) (say i)) [ 300; 100; 200; 0; 400 ];
  wait_until (fun () -> List.length (Atomic.get log) = 5);
  check Alcotest.(list int) "order" [ 400; 300; 200; 100; 0 ] (Atomic.get log)

let never_early () =
  let early = Atomic.make 0 and over = Atomic.make 0 in
  let worst = Atomic.make 0. in
  let one () =
    let span = micros (Random.State.int Watch.chance 20_000) in
    let start = Mtime_clock.counter () in
    set span (fun () ->
        let late =
          Mtime.Span.to_float_ns (Mtime_clock.count start)
          -. Mtime.Span.to_float_ns span
        in
        if late < 0. then Atomic.incr early;
        Atomic.set worst (Float.max late (Atomic.get worst));
        Atomic.incr over)
  in
  for _ = 1 to 1000 do
    one ()
  done;
  wait_until (fun () -> Atomic.get over = 1000);
  Printf.printf "worst lateness: %.2f ms\n" (Atomic.get worst *. 1e-6);
  check Alcotest.int "early" 0 (Atomic.get early);
  wait_until (fun () -> Timer.pending () = 0)

let sooner_wakes () =
  let cancel = Timer.after (ms 3_600_000) ignore in
  Unix.sleepf 0.02 (* the thread sleeps now, for an hour *);
  let called = Atomic.make false in
  set (ms 5) (fun () -> Atomic.set called true);
  wait_until (fun () -> Atomic.get called);
  cancel ();
  wait_until (fun () -> Timer.pending () = 0)

let cancelling () =
  let called = Atomic.make 0 in
  let cancels =
    List.init 100 (fun i ->
        Timer.after (ms (500 + i)) (fun () -> Atomic.incr called))
  in
  check Alcotest.int "pending" 100 (Timer.pending ());
  List.iteri (fun i cancel -> if i mod 2 = 0 then cancel ()) cancels;
  List.iteri (fun i cancel -> if i mod 2 = 0 then cancel ()) cancels;
  check Alcotest.int "pending" 50 (Timer.pending ());
  wait_until (fun () -> Timer.pending () = 0);
  check Alcotest.int "called" 50 (Atomic.get called);
  List.iter (fun cancel -> cancel ()) cancels;
  check Alcotest.int "after it is over" 0 (Timer.pending ())

(* A callback is pending until it has returned. *)
let pending_while_called () =
  let inside = Atomic.make false and leave = Atomic.make false in
  set (ms 1) (fun () ->
      Atomic.set inside true;
      while not (Atomic.get leave) do
        Thread.delay 0.001
      done);
  wait_until (fun () -> Atomic.get inside);
  let during = Timer.pending () in
  Atomic.set leave true;
  check Alcotest.int "pending" 1 during;
  wait_until (fun () -> Timer.pending () = 0)

let from_a_callback () =
  let called = Atomic.make 0 in
  let rec again n () =
    Atomic.incr called;
    if n > 1 then set (ms 0) (again (n - 1))
  in
  set (ms 0) (again 1000);
  wait_until (fun () -> Timer.pending () = 0);
  check Alcotest.int "called" 1000 (Atomic.get called)

exception Of_a_callback

let raising () =
  let reported = Atomic.make 0 and called = Atomic.make false in
  Thread.set_uncaught_exception_handler (fun e ->
      if e = Of_a_callback then Atomic.incr reported);
  set (ms 1) (fun () -> raise Of_a_callback);
  set (ms 2) (fun () -> Atomic.set called true);
  wait_until ~what:"the timer after" (fun () -> Atomic.get called);
  wait_until ~what:"the report" (fun () -> Atomic.get reported = 1);
  Thread.set_uncaught_exception_handler
    Thread.default_uncaught_exception_handler;
  check Alcotest.int "pending" 0 (Timer.pending ())

let from_everywhere () =
  let each = 2_000 and called = Atomic.make 0 and cancelled = Atomic.make 0 in
  let body seed () =
    let chance = Random.State.make [| Watch.seed; seed |] in
    for _ = 1 to each do
      let span = micros (Random.State.int chance 3_000) in
      let cancel = Timer.after span (fun () -> Atomic.incr called) in
      if Random.State.bool chance then begin
        cancel ();
        Atomic.incr cancelled
      end
    done
  in
  let domains = List.init 2 (fun i -> Domain.spawn (body i)) in
  let threads = List.init 2 (fun i -> Thread.create (body (2 + i)) ()) in
  List.iter Domain.join domains;
  List.iter Thread.join threads;
  wait_until (fun () -> Timer.pending () = 0);
  let called = Atomic.get called and cancelled = Atomic.get cancelled in
  (* A cancelled timer may have been called before. *)
  if called > 4 * each || called < (4 * each) - cancelled then
    Alcotest.failf "%d set, %d cancelled, %d called" (4 * each) cancelled called

let from_a_signal_handler () =
  let called = Atomic.make 0 in
  let old =
    Sys.signal Sys.sigusr1
      (Signal_handle (fun _ -> set (ms 1) (fun () -> Atomic.incr called)))
  in
  for _ = 1 to 50 do
    Unix.kill (Unix.getpid ()) Sys.sigusr1;
    (* The signal may interrupt the setting of a timer. *)
    set (ms 1) (fun () -> Atomic.incr called)
  done;
  (* Signals that are pending at the same time may count once. *)
  wait_until (fun () -> Timer.pending () = 0 && Atomic.get called > 50);
  Sys.set_signal Sys.sigusr1 old

let live_words () =
  Gc.full_major ();
  (Gc.stat ()).live_words

(* The values held by a callback must be freed with the timer. *)
let million_cancelled () =
  let before = live_words () in
  let cancels = Array.make 100 ignore in
  for i = 0 to 999_999 do
    let slot = i mod 100 in
    cancels.(slot) ();
    let ballast = Bytes.create 64 in
    cancels.(slot) <-
      Timer.after
        (ms (3_600_000 + i))
        (fun () -> ignore (Sys.opaque_identity ballast))
  done;
  Array.iter (fun cancel -> cancel ()) cancels;
  let left = live_words () - before in
  Printf.printf "words left by a million timers: %d\n" left;
  check Alcotest.int "pending" 0 (Timer.pending ());
  (* The array of 100 closures is still there, and will be garbage soon. *)
  ignore (Sys.opaque_identity cancels);
  if left > 2_000 then Alcotest.failf "%d words are left" left

(* The thread sleeps although timers come and go. *)
let no_wake_up_per_timer () =
  let cancel = Timer.after (ms 3_600_000) ignore in
  let cpu = Sys.time () in
  Unix.sleepf 0.5;
  let cpu = Sys.time () -. cpu in
  cancel ();
  if cpu > 0.2 then Alcotest.failf "%.3f s of CPU time while waiting 0.5 s" cpu

let spans () =
  let ns s = Mtime.Span.to_uint64_ns (Timer.span ~call:"f" s) in
  check Alcotest.int64 "half" 500_000_000L (ns 0.5);
  check Alcotest.int64 "for ever" 1_000_000_000_000_000_000L (ns infinity);
  List.iter
    (fun (s, message) ->
      Alcotest.check_raises "refused" (Invalid_argument message) (fun () ->
          ignore (ns s)))
    [ (-1., "f: -1 seconds"); (nan, "f: nan seconds") ];
  (* Longer than the range of the clock: never called, but no error. *)
  Timer.after Mtime.Span.max_span ignore ()

(* {1 Blocking calls} *)

exception Refused of int

let results () =
  check Alcotest.int "value" 3 (Blocking.call (fun () -> 3));
  (match Blocking.call (fun () -> raise (Refused 4)) with
  | () -> Alcotest.fail "no exception"
  | exception Refused n -> check Alcotest.int "exception" 4 n);
  wait_until (fun () -> Blocking.pending () = 0)

let elsewhere () =
  let d = Blocking.call Domain.self and d' = Blocking.call Domain.self in
  check Alcotest.bool "not here" true (d <> Domain.self ());
  check Alcotest.bool "one domain" true (d = d')

let at_most n f =
  let before = Threads.most () in
  Threads.set_most n;
  Fun.protect f ~finally:(fun () -> Threads.set_most before)

let many () =
  at_most 20 @@ fun () ->
  let n = 3 * Threads.most () in
  let inside = Atomic.make 0 and most = Atomic.make 0 in
  let open_ = Atomic.make false in
  let rec higher k =
    let m = Atomic.get most in
    if k > m && not (Atomic.compare_and_set most m k) then higher k
  in
  let one () =
    higher (1 + Atomic.fetch_and_add inside 1);
    while not (Atomic.get open_) do
      Thread.delay 0.001
    done;
    Atomic.decr inside
  in
  let callers =
    List.init n (fun _ -> Thread.create (fun () -> Blocking.call one) ())
  in
  wait_until ~what:"all threads" (fun () ->
      Atomic.get inside = Threads.most () && Blocking.pending () = n);
  Atomic.set open_ true;
  List.iter Thread.join callers;
  wait_until (fun () -> Blocking.pending () = 0);
  check Alcotest.int "at most" (Threads.most ()) (Atomic.get most)

(* Calls that return when [open_] is set, and the number of running calls. *)
let held n =
  let open_ = Atomic.make false and inside = Atomic.make 0 in
  let one () =
    Atomic.incr inside;
    while not (Atomic.get open_) do
      Thread.delay 0.001
    done;
    Atomic.decr inside
  in
  let callers =
    List.init n (fun _ -> Thread.create (fun () -> Blocking.call one) ())
  in
  let let_go () =
    Atomic.set open_ true;
    List.iter Thread.join callers;
    wait_until (fun () -> Blocking.pending () = 0)
  in
  (inside, let_go)

let idle_end () =
  let inside, let_go = held 100 in
  wait_until (fun () -> Atomic.get inside = 100);
  let_go ();
  wait_until ~what:"the end of idle threads" (fun () ->
      let { Threads.threads; running; waiting } = Threads.counts () in
      threads <= 4 && running = 0 && waiting = 0)

let raise_the_bound () =
  at_most 3 @@ fun () ->
  let inside, let_go = held 8 in
  wait_until (fun () -> (Threads.counts ()).waiting = 5);
  check Alcotest.int "run" 3 (Atomic.get inside);
  Threads.set_most 7;
  wait_until (fun () -> Atomic.get inside = 7);
  let_go ()

let lower_the_bound () =
  let inside, let_go = held 8 in
  wait_until (fun () -> Atomic.get inside = 8);
  at_most 1 @@ fun () ->
  let_go ();
  wait_until (fun () -> (Threads.counts ()).threads <= 1);
  check Alcotest.int "goes on" 5 (Blocking.call (fun () -> 5))

let leave_the_line () =
  at_most 1 @@ fun () ->
  let inside, let_go = held 1 in
  wait_until (fun () -> Atomic.get inside = 1);
  let ran = Atomic.make 0 in
  let job _ = Threads.job (fun () -> Atomic.incr ran) in
  let jobs = Array.init 1000 job in
  Array.iter Threads.submit jobs;
  let leaves i job =
    if i mod 3 > 0 then ignore (Threads.leave job : Threads.place)
  in
  Array.iteri leaves jobs;
  check Alcotest.int "in line" 334 (Threads.counts ()).waiting;
  check Alcotest.bool "twice" true (Threads.leave jobs.(1) = Left);
  let_go ();
  wait_until (fun () -> Atomic.get ran = 334 && (Threads.counts ()).running = 0);
  check Alcotest.bool "over" true (Threads.leave jobs.(0) = Begun);
  check Alcotest.bool "new" true (Threads.leave (job 0) = New)

let thread_exit () =
  (* Ends the call, but not the thread, since the thread serves further
     calls. *)
  (match Blocking.call (fun () -> raise Thread.Exit) with
  | () -> Alcotest.fail "no exception"
  | exception Thread.Exit -> ());
  check Alcotest.int "goes on" 5 (Blocking.call (fun () -> 5))

let host_threads () =
  let n = 20 in
  let domains = Atomic.make [] in
  let rec add d =
    let old = Atomic.get domains in
    if not (Atomic.compare_and_set domains old (d :: old)) then add d
  in
  for _ = 1 to n do
    Host.thread (fun () -> add (Domain.self ()))
  done;
  wait_until (fun () -> List.length (Atomic.get domains) = n);
  check Alcotest.int "one domain" 1
    (List.length (List.sort_uniq compare (Atomic.get domains)))

let suites =
  let case = Watch.case in
  [
    ("before", [ case "Unix.fork works before the first use" fork_before_use ]);
    ( "timer",
      [
        case "in order" in_order;
        case "never early" never_early;
        case "a sooner timer wakes the thread" sooner_wakes;
        case "cancel" cancelling;
        case "pending while it is called" pending_while_called;
        case "set from a callback" from_a_callback;
        case "a callback that raises" raising;
        case "from domains and threads" from_everywhere;
        case "from a signal handler" from_a_signal_handler;
        case "a million cancelled timers" million_cancelled;
        case "no busy loop" no_wake_up_per_timer;
        case "spans" spans;
      ] );
    ( "blocking",
      [
        case "results" results;
        case "on the service domain" elsewhere;
        case "more calls than threads" many;
        case "idle threads end" idle_end;
        case "the bound is raised" raise_the_bound;
        case "the bound is lowered" lower_the_bound;
        case "jobs leave the line" leave_the_line;
        case "Thread.exit" thread_exit;
        case "threads of the host" host_threads;
      ] );
  ]

let () = Watch.suite "service" (fun () -> Alcotest.run "service" suites)
