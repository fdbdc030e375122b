open Bench_driver
open Bench_server_measure

let close = Alcotest.float 1e-9

(* {1 Reading wrk's report} *)

let report =
  {|Running 2s test @ http://127.0.0.1:42731/fib/30
  1 threads and 8 connections
  Thread Stats   Avg      Stdev     Max   +/- Stdev
    Latency    15.13ms    8.33ms  37.53ms   63.23%
    Req/Sec   534.20     22.27   560.00     90.00%
  Latency Distribution
     50%  914.00us
     75%   21.24ms
     90%   27.80ms
     99%    1.20s
  1066 requests in 2.00s, 73.91KB read
  Socket errors: connect 0, read 3, write 4, timeout 5
Requests/sec:    531.76
Transfer/sec:     36.87KB
|}

let wrk () =
  Alcotest.(check (list (pair string close)))
    "figures"
    [
      ("throughput", 531.76);
      ("p50_ms", 0.914);
      ("p90_ms", 27.8);
      ("p99_ms", 1200.);
      ("errors", 12.);
    ]
    (Wrk.figures report);
  match Wrk.figures "unable to connect" with
  | _ -> Alcotest.fail "figures from nothing"
  | exception Failure _ -> ()

(* {1 Stalls} *)

let gaps () =
  let open Bench_server in
  let g = Gaps.create () in
  Unix.sleepf 0.002;
  Gaps.tick g;
  Unix.sleepf 0.05;
  Gaps.tick g;
  Unix.sleepf 0.002;
  Gaps.stop g;
  Alcotest.(check int) "ticks" 2 (Gaps.ticks g);
  let longest = Gaps.longest g and all = Gaps.seconds g in
  if longest < 0.05 then Alcotest.failf "longest %g" longest;
  if all < longest +. 0.004 then Alcotest.failf "longest %g of %g" longest all

(* {1 Charts} *)

let row scheduler workers load throughput =
  {
    Row.bench = "fibserver";
    scheduler;
    workers;
    cutoff = Some load;
    n = 30;
    runs = 1;
    disturbed = 0;
    median_s = nan;
    min_s = nan;
    max_s = nan;
    runs_s = [];
    cpu_s = nan;
    max_rss_kib = None;
    ratio_to_sequential = None;
    figures = [ ("throughput", throughput); ("p90_ms", 3.) ];
    failure = None;
  }

let rows =
  [
    row "a" 1 50 50.; row "a" 2 50 50.; row "a" 1 90 60.; row "a" 2 90 88.;
    row "fixed" 1 50 40.; row "fixed" 1 90 41.;
  ] [@@ocamlformat "disable"]

let points charts name curve =
  let chart : Chart.t = List.assoc name charts in
  let c = List.find (fun (c : Chart.curve) -> c.name = curve) chart.curves in
  c.points

let charts () =
  let suite = Option.get (Suite.find "fibserver") in
  let charts = Plot_load.charts suite rows in
  let check name curve expected =
    Alcotest.(check (list (pair close close)))
      (name ^ " " ^ curve)
      expected (points charts name curve)
  in
  Alcotest.(check (list string))
    "names"
    [
      "throughput-loads"; "p90_ms-loads"; "throughput-workers"; "p90_ms-workers";
    ]
    (List.map fst charts);
  check "throughput-loads" "a" [ (50., 50.); (90., 88.) ];
  check "throughput-loads" "fixed" [ (50., 40.); (90., 41.) ];
  check "throughput-workers" "a" [ (1., 60.); (2., 88.) ];
  check "throughput-workers" "fixed" [ (1., 41.); (2., 41.) ];
  Alcotest.(check int)
    "too few points" 0
    (List.length (Plot_load.charts suite [ row "a" 1 50 50. ]))

(* {1 The program itself} *)

let main = Filename.concat (Filename.concat ".." "..") "main.exe"

let smoke () =
  let dir = Filename.temp_dir "servers" "" in
  let json = Filename.concat dir "rows.json" in
  let arguments =
    [
      "--quick"; "--only"; "fibserver,ticker"; "--seconds"; "0.3"; "--runs"; "1";
      "--workers"; "1,2"; "--schedulers"; "lwt-dromos,lwt-blocking,lwt-domains";
      "--json"; json; "--plots"; dir;
    ] [@ocamlformat "disable"]
  in
  (match Process.run ~limit:100. ~max_rss_mib:1000 (main :: arguments) with
  | Output _ -> ()
  | Failed why -> Alcotest.fail why);
  let rows = Row.read json in
  let expect bench scheduler workers figures =
    match
      List.find_opt
        (fun (r : Row.t) ->
          r.bench = bench && r.scheduler = scheduler && r.workers = workers)
        rows
    with
    | None -> Alcotest.failf "no row: %s, %s, %d" bench scheduler workers
    | Some { failure = Some why; _ } -> Alcotest.failf "%s: %s" scheduler why
    | Some r ->
        List.iter
          (fun name ->
            match Row.figure r name with
            | Some x when x > 0. -> ()
            | Some _ | None -> Alcotest.failf "%s: %s" scheduler name)
          figures
  in
  List.iter
    (fun (scheduler, workers) ->
      expect "fibserver" scheduler workers [ "throughput"; "p90_ms" ];
      expect "ticker" scheduler workers [ "longest_ms"; "fib_ms" ])
    [
      ("lwt-dromos", 1); ("lwt-dromos", 2); ("lwt-blocking", 1);
      ("lwt-blocking", 2); ("lwt-domains", 1);
    ] [@ocamlformat "disable"];
  let drawn = Sys.readdir dir in
  if not (Array.mem "ticker-32-longest_ms-workers.svg" drawn) then
    Alcotest.fail "no chart"

let () =
  let case name f = Alcotest.test_case name `Quick f in
  Alcotest.run "servers"
    [
      ("accounts", [ case "wrk" wrk; case "gaps" gaps; case "charts" charts ]);
      ("the program", [ case "smoke" smoke ]);
    ]
