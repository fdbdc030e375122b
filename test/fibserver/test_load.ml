(* The load generator's figures, against servers with known delays. On a busy
   machine, times may be longer than due, never shorter. *)

open Example_http

let check_int = Watch.check Alcotest.int
let check_count what expected got = check_int what expected got

let at_least what least x =
  if not (x >= least) then Alcotest.failf "%s: %g, less than %g" what x least

let at_most what most x =
  if not (x <= most) then Alcotest.failf "%s: %g, more than %g" what x most

let load ?connections ?wait ?expect ~rate ~seconds address =
  Load.run ?connections ?wait ?expect ~address ~path:"/" ~rate ~seconds ()

let ok delay = Fake.After (delay, 200, "x")
let run f = Lwt_main.run (f ())
let percentile (r : Load.result) p = Load.percentile r.latencies p

let test_percentile () =
  let a = Array.init 10 (fun i -> float_of_int (i + 1)) in
  let check p expected =
    Watch.check
      Alcotest.(float 0.)
      (string_of_float p) expected (Load.percentile a p)
  in
  check 0. 1.;
  check 0.1 1.;
  check 0.11 2.;
  check 0.5 5.;
  check 0.9 9.;
  check 0.99 10.;
  check 1. 10.;
  check_int "none" 1 (if Float.is_nan (Load.percentile [||] 0.5) then 1 else 0)

(* 40 ms for each of 50 requests, 10 ms apart: about four at a time. *)
let test_constant () =
  let r =
    run @@ fun () ->
    Fake.with_server
      (fun _ -> ok 0.04)
      (fun a -> load ~rate:100. ~seconds:0.5 ~expect:"x" a)
  in
  check_count "sent" 50 r.sent;
  check_count "answered" 50 r.answered;
  check_count "errors" 0 (Load.errors r);
  check_count "latencies" 50 (Array.length r.latencies);
  at_least "least" 0.039 (percentile r 0.);
  at_most "median" 0.4 (percentile r 0.5);
  at_least "connections" 4. (float_of_int r.opened);
  at_most "connections" 49. (float_of_int r.opened);
  at_least "throughput" 50. r.throughput;
  at_most "throughput" 100. r.throughput

(* The server takes 300 ms once, on a single connection: 30 requests fall due
   meanwhile, and their waits are 290, 280, .. ms. A generator that waits for
   answers, or measures from the time of sending, sees a single slow request of
   60. *)
let test_omission () =
  let r =
    run @@ fun () ->
    Fake.with_server
      (fun i -> ok (if i = 10 then 0.3 else 0.))
      (fun a -> load ~rate:100. ~seconds:0.6 ~connections:1 a)
  in
  check_count "answered" 60 r.answered;
  check_count "connections" 1 r.opened;
  let slow limit =
    Array.fold_left (fun n x -> if x >= limit then n + 1 else n) 0 r.latencies
  in
  at_least "requests of 100 ms" 20. (float_of_int (slow 0.1));
  at_least "requests of 200 ms" 10. (float_of_int (slow 0.2));
  at_least "the 75th percentile" 0.1 (percentile r 0.75);
  at_least "lag" 0.25 r.lag

(* The server can answer 25 requests a second, and gets 100. *)
let test_overload () =
  let r =
    run @@ fun () ->
    Fake.with_serial
      (fun _ -> ok 0.04)
      (fun a -> load ~rate:100. ~seconds:0.6 ~wait:0.2 a)
  in
  check_count "sent" 60 r.sent;
  at_most "throughput" 25.1 r.throughput;
  at_least "throughput" 10. r.throughput;
  at_least "unanswered" 35. (float_of_int r.unanswered);
  check_count "every request counts" 60 (r.answered + r.unanswered);
  check_count "in the latencies too" 60 (Array.length r.latencies);
  at_least "median" 0.2 (percentile r 0.5)

let test_unanswered () =
  let r =
    run @@ fun () ->
    Fake.with_server
      (fun i -> if i mod 2 = 0 then ok 0. else Fake.Never)
      (fun a -> load ~rate:50. ~seconds:0.4 ~wait:0.5 a)
  in
  check_count "answered" 10 r.answered;
  check_count "unanswered" 10 r.unanswered;
  check_count "failed" 0 r.failed;
  at_least "their latencies: the wait at least" 0.49 (percentile r 0.55);
  at_least "the first of them waited longest" 0.8 (percentile r 1.)

let test_wrong () =
  let reply i =
    match i mod 4 with
    | 0 -> ok 0.
    | 1 -> Fake.After (0., 500, "x")
    | 2 -> Fake.After (0., 200, "y")
    | _ -> Fake.Hang_up
  in
  let r =
    run @@ fun () ->
    Fake.with_server reply (fun a -> load ~rate:100. ~seconds:0.4 ~expect:"x" a)
  in
  check_count "answered" 10 r.answered;
  check_count "wrong" 20 r.wrong;
  check_count "failed" 10 r.failed;
  check_count "only right answers have latencies" 10 (Array.length r.latencies);
  check_count "errors" 30 (Load.errors r)

let test_nobody () =
  let r = run @@ fun () -> load ~rate:100. ~seconds:0.2 (Fake.nobody ()) in
  check_count "sent" 20 r.sent;
  check_count "failed" 20 r.failed;
  check_count "opened" 0 r.opened

let test_arguments () =
  Alcotest.check_raises "rate"
    (Invalid_argument "Load.run: the rate and the time must be positive")
    (fun () ->
      ignore (run (fun () -> load ~rate:0. ~seconds:1. (Fake.nobody ()))))

let main () =
  let case = Watch.case in
  Alcotest.run "fibserver: load"
    [
      ( "accounts",
        [
          case "percentiles" test_percentile;
          case "a constant delay" test_constant;
          case "coordinated omission" test_omission;
          case "overload" test_overload;
          case "no answers" test_unanswered;
          case "wrong answers" test_wrong;
          case "no server there" test_nobody;
          case "arguments" test_arguments;
        ] );
    ]

let () = Watch.suite "fibserver: load" main
