(* Growth and contention: fits, lines and tables of invented rows, and sizes
   skipped after a failure. *)

open Bench_driver

let row ?(bench = "grow_tasks") ?(scheduler = "dromos-growth") ?(workers = 1)
    ?cutoff ?failure ?kib ~n seconds =
  {
    Row.bench;
    scheduler;
    workers;
    cutoff;
    n;
    runs = 1;
    disturbed = 0;
    median_s = seconds;
    min_s = seconds;
    max_s = seconds;
    runs_s = [ seconds ];
    cpu_s = seconds;
    max_rss_kib = None;
    ratio_to_sequential = None;
    figures = (match kib with None -> [] | Some k -> [ ("grown_kib", k) ]);
    failure;
  }

let sizes = [ 1_000; 10_000; 100_000; 1_000_000 ]
let points f = List.map (fun n -> (n, f (float_of_int n))) sizes
let fit f = Option.get (Growth.fit (points f))
let near = Alcotest.float 1e-6

let exponents () =
  let linear = fit (fun n -> 3e-9 *. n) in
  Alcotest.check near "linear" 1. linear.exponent;
  Alcotest.check near "square" 2. (fit (fun n -> n *. n)).exponent;
  let n_log_n = fit (fun n -> n *. log n) in
  Alcotest.check near "n log n is allowed" n_log_n.allowed
    (n_log_n.exponent +. Growth.tolerance);
  let too_fast power = Growth.too_fast (fit (fun n -> n ** power)) in
  Alcotest.(check (list bool))
    "too fast"
    [ false; false; true; true ]
    (List.map too_fast [ 0.9; 1.15; 1.25; 2. ])

(* A start-up of a second hides growth below ten thousand. *)
let upper_part () =
  let from_below = Growth.fit ((10, 5.) :: points (fun n -> n)) in
  Alcotest.check near "small n do not count" 1. (Option.get from_below).exponent;
  let no_fit what points =
    Alcotest.(check bool) what true (Growth.fit points = None)
  in
  no_fit "two points" [ (10_000, 1.); (100_000, 10.) ];
  no_fit "small n only" [ (10, 1.); (100, 10.); (1_000, 100.) ];
  no_fit "no time" (points (fun _ -> 0.))

let lines () =
  let rows =
    [
      row ~n:1_000_000 1. ~kib:100_000.;
      row ~n:10_000 0.01 ~kib:1_000.;
      row ~n:100_000 0.1 ~kib:10_000.;
      row ~n:10_000_000 nan ~failure:"over 20 s";
      row ~n:10_000 ~workers:2 0.02;
      row ~bench:"fib" ~n:30 1.;
    ]
  in
  match Growth.lines rows with
  | [ one; two ] ->
      Alcotest.(check (list int))
        "ascending"
        [ 10_000; 100_000; 1_000_000 ]
        (List.map fst one.times);
      Alcotest.check near "time" 1. (Option.get one.time).exponent;
      Alcotest.(check bool) "too few large sizes" true (one.memory = None);
      Alcotest.(check (option (pair int string)))
        "ended"
        (Some (10_000_000, "over 20 s"))
        one.ended;
      Alcotest.(check int) "workers" 2 two.workers;
      Alcotest.(check int) "charts" 2 (List.length (Growth.charts [ one; two ]))
  | lines -> Alcotest.failf "%d lines" (List.length lines)

let star () =
  let table f =
    let rows = List.map (fun (n, s) -> row ~n s) (points f) in
    Fmt.str "%a" Growth.print (Growth.lines rows)
  in
  let starred f = Lab.contains (table f) "grows faster than n log n" in
  Alcotest.(check bool) "linear" false (starred (fun n -> n));
  Alcotest.(check bool) "square" true (starred (fun n -> n *. n))

let falls () =
  let at ?failure tasks seconds =
    row ~bench:"contend_mutex" ~cutoff:tasks ?failure ~n:1_000 seconds
  in
  let line rows =
    match Contention.lines rows with [ l ] -> l | _ -> Alcotest.fail "lines"
  in
  let l = line [ at 4 8.; at 1 1.; at 2 4. ] in
  Alcotest.(check (option near)) "to one" (Some 0.125) l.to_one;
  Alcotest.(check (option near)) "to two" (Some 0.5) l.to_two;
  let l = line [ at 4 1.; at 2 nan ~failure:"over 20 s" ] in
  Alcotest.(check (option near)) "without two" None l.to_two;
  Alcotest.(check (option (pair int string)))
    "ended"
    (Some (2, "over 20 s"))
    l.ended

(* A size that failed ends the row; the smaller sizes stay. *)
let ended () =
  let script = "if test $1 -gt 10; then exit 1; fi; " ^ Lab.says 1. in
  let asked = ref [] in
  let scheduler =
    {
      (Lab.shell "sequential" "") with
      command =
        (fun ~bench:_ ~placement:_ ~workers:_ ~cutoff:_ ~n ->
          asked := n :: !asked;
          [ "/bin/sh"; "-c"; script; "sh"; string_of_int n ]);
    }
  in
  let size n = { Suite.n; cutoffs = [ 0 ] } in
  let suite = Option.get (Suite.find "grow_tasks") in
  let rows =
    Runner.run
      {
        schedulers = [ scheduler ];
        benches = [ (suite, List.map size [ 1; 10; 100; 1000 ]) ];
        workers = [ 1 ];
        runs = (fun _ -> 1);
        limit = 60.;
        max_rss_mib = 300;
      }
      ~progress:(fun ~done_:_ ~of_:_ _ -> ())
      ~report:(fun _ _ _ -> ())
  in
  Alcotest.(check (list bool))
    "failures"
    [ false; false; true; true ]
    (List.map (fun (r : Row.t) -> r.failure <> None) rows);
  Alcotest.(check bool) "1000 was not asked for" false (List.mem 1000 !asked)

(* The whole command once, at the smallest size of a few kinds. *)
let whole () =
  let text =
    Lab.call
      [
        "--growth"; "--quick"; "--size"; "500"; "--workers"; "2"; "--plots";
        "growth_plots"; "--only"; "grow_tasks,grow_mutex,grow_fan";
      ]
  in
  let there part = Alcotest.(check bool) part true (Lab.contains text part) in
  List.iter there [ "grow_tasks"; "grow_mutex"; "grow_fan"; "dromos-growth" ]
[@@ocamlformat "disable"]

let () =
  let case name f = Alcotest.test_case name `Quick f in
  Alcotest.run "growth"
    [
      ( "growth",
        [
          case "exponents" exponents;
          case "the upper part" upper_part;
          case "lines" lines;
          case "stars" star;
          case "throughput" falls;
          case "a size that failed" ended;
          case "whole" whole;
        ] );
    ]
