(* The driver's own arithmetic, and one program observed from outside. *)

open Bench_driver
open Heap_bench

let seconds = Alcotest.float 1e-9

(* {1 Stops} *)

let us n = Int64.of_int (1000 * n)

(* Each stop is a domain, a beginning and an end, in microseconds. *)
let summary ~runs stops =
  let t = Stops.create () in
  List.iter
    (fun (from, upto) ->
      Stops.run_begins t ~at:(us from);
      Stops.run_ends t ~at:(us upto))
    runs;
  List.iter
    (fun (domain, from, upto) ->
      Stops.phase_begins t ~domain ~at:(us from);
      Stops.phase_ends t ~domain ~at:(us upto))
    stops;
  Stops.summary t

let nesting () =
  let t = Stops.create () in
  Stops.run_begins t ~at:0L;
  Stops.phase_ends t ~domain:0 ~at:(us 5);
  Stops.phase_begins t ~domain:0 ~at:(us 10);
  Stops.phase_begins t ~domain:0 ~at:(us 20);
  Stops.phase_begins t ~domain:1 ~at:(us 30);
  Stops.phase_ends t ~domain:0 ~at:(us 40);
  Stops.phase_ends t ~domain:0 ~at:(us 110);
  Stops.phase_ends t ~domain:1 ~at:(us 60);
  Stops.run_ends t ~at:(us 1000);
  let s = Stops.summary t in
  Alcotest.(check int) "stops of two domains" 2 s.stops;
  Alcotest.check seconds "the outermost" 0.1 s.longest_ms;
  Alcotest.check seconds "together" 130e-6 s.together_s

let close () =
  let s = summary ~runs:[ (0, 1000) ] [ (0, 10, 20); (0, 39, 50) ] in
  Alcotest.(check int) "one" 1 s.stops;
  Alcotest.check seconds "with what is between" 0.04 s.longest_ms;
  let s = summary ~runs:[ (0, 1000) ] [ (0, 10, 20); (0, 40, 50) ] in
  Alcotest.(check int) "two" 2 s.stops;
  let s = summary ~runs:[ (0, 1000) ] [ (0, 10, 20); (1, 21, 30) ] in
  Alcotest.(check int) "stops of two domains" 2 s.stops

let outside () =
  let s =
    summary
      ~runs:[ (100, 200); (300, 400) ]
      [ (0, 0, 50); (0, 90, 130); (0, 250, 260); (1, 390, 900) ]
  in
  Alcotest.(check int) "two inside" 2 s.stops;
  Alcotest.check seconds "cut" 0.03 s.longest_ms;
  Alcotest.check seconds "together" 40e-6 s.together_s;
  Alcotest.check seconds "all runs" 200e-6 s.runs_s

(* {1 Ratios} *)

let row scheduler workers median_s rss : Row.t =
  {
    bench = "p";
    scheduler;
    workers;
    cutoff = None;
    n = 1;
    runs = 1;
    disturbed = 0;
    median_s;
    min_s = median_s;
    max_s = median_s;
    cpu_s = median_s;
    max_rss_kib = Some rss;
    ratio_to_sequential = None;
    figures = [];
    runs_s = [];
    failure = None;
  }

let ratios () =
  let rows =
    Ratios.add
      [
        row Contestants.elision 1 2. 100;
        row Contestants.stock 2 4. 400;
        row Contestants.variant 2 1. 200;
      ]
  in
  let variant = List.nth rows 2 in
  let check name x = Alcotest.check seconds name x (Row.value variant name) in
  check "time_to_stock" 0.25;
  check "rss_to_stock" 0.5;
  check "speedup_to_elision" 2.;
  check "overhead" 0.5;
  check "blowup" 2.;
  Alcotest.check seconds "geomean" 2. (Stats.geomean [ 1.; 4. ]);
  Alcotest.(check bool)
    "no elision with two workers" true
    (Float.is_nan (Row.value (List.hd rows) "time_to_stock"))

(* {1 The stress test} *)

let lines () =
  let exact = Stats.fit [ (0., 1.); (10., 1.5); (20., 2.); (50., 3.5) ] in
  Alcotest.check seconds "slope" 0.05 exact.slope;
  Alcotest.check seconds "at zero" 1. exact.at_zero;
  Alcotest.check seconds "all of it" 1. exact.explained;
  let bent = Stats.fit [ (-1., 1.); (0., 0.); (1., 1.) ] in
  Alcotest.check seconds "none of it" 0. bent.explained;
  Alcotest.check seconds "the mean" (2. /. 3.) bent.at_zero

let at percent scheduler median_s =
  {
    (row scheduler 2 median_s 1) with
    bench = Series.bench;
    cutoff = Some percent;
  }

let contains = Said.contains

(* The curve of OCaml's own runtime is bent; the extra time of the variant is a straight
   line above zero percent. *)
let beyond () =
  let rows =
    [
      at 0 "stock" 2.; at 10 "stock" 3.; at 20 "stock" 3.5; at 30 "stock" 3.6;
      at 0 "variant" 1.; at 10 "variant" 3.2; at 20 "variant" 3.9;
      at 30 "variant" 4.2;
    ]
    [@ocamlformat "disable"]
  in
  let printed = Fmt.str "%a" Series.print rows in
  Alcotest.(check bool)
    "beyond" true
    (contains printed
       "time beyond stock's: 0.10 more for each 10%, of stock's at 0%; R2 1.000");
  let alone =
    Fmt.str "%a" Series.print (List.filteri (fun i _ -> i > 3) rows)
  in
  Alcotest.(check bool) "no stock" false (contains alone "beyond")

(* Two contestants and three percentages, one row each: times relative to the first
   row. *)
let drawn () =
  let rows =
    [
      at 50 "stock" 3.; at 0 "stock" 2.; at 100 "stock" 4.;
      at 0 "variant" 1.; at 50 "variant" nan; at 100 "variant" 3.;
    ]
    [@ocamlformat "disable"]
  in
  let printed = Fmt.str "%a" Series.print rows in
  let holds = contains printed in
  Alcotest.(check bool)
    "one line" true
    (holds "time: 1.00, and 0.10 more for each 10%; R2 1.000");
  Alcotest.(check bool)
    "without what failed" true
    (holds "time: 1.00, and 0.20 more for each 10%; R2 1.000");
  let dir = Filename.temp_dir "dromos" "series" in
  let files = Series.draw ~dir rows in
  Alcotest.(check int) "time and processor time" 2 (List.length files);
  List.iter
    (fun file ->
      let text = In_channel.with_open_bin file In_channel.input_all in
      Alcotest.(check bool)
        "an SVG file" true
        (String.ends_with ~suffix:"</svg>" (String.trim text));
      Sys.remove file)
    files;
  Sys.rmdir dir

(* {1 A comparison}, with shell scripts as programs *)

let says ~seconds ~checksum figures =
  Printf.sprintf
    "echo '{\"seconds\": [9, %g], \"cpu_s\": [9, %g], \"checksum\": %d, \
     \"max_rss_kib\": 100, \"figures\": {%s}}'"
    seconds seconds checksum figures

let contestant name ?(parallel = true) ?(checksum = 7) seconds : Contestants.t =
  let scheduler script : Scheduler.t =
    {
      name;
      about = "";
      base = Contestants.elision;
      parallel;
      has = (fun bench -> bench = "wc");
      placed = false;
      command =
        (fun ~bench:_ ~placement:_ ~workers:_ ~cutoff:_ ~n:_ ->
          [ "/bin/sh"; "-c"; script ]);
    }
  in
  let figures = "\"minor_collections\": 5, \"max_pause_ms\": 1.5" in
  {
    scheduler = scheduler (says ~seconds ~checksum "\"minor_collections\": 3");
    observed = Some (scheduler (says ~seconds:8. ~checksum figures));
  }

let comparison () =
  let reported = ref 0 in
  let rows =
    Comparison.run
      {
        contestants =
          [
            contestant Contestants.elision ~parallel:false 4.;
            contestant Contestants.stock 2.;
            contestant Contestants.variant 1.;
            contestant "liar" ~checksum:8 1.;
          ];
        programs = [ Option.get (Heap_suite.Programs.find "wc") ];
        size = (fun _ -> 10);
        workers = [ 1; 2 ];
        runs = 2;
        observe = true;
        limit = 60.;
        max_rss_mib = 300;
      }
      ~progress:(fun ~done_:_ ~of_:_ _ -> ())
      ~report:(fun rows -> reported := List.length rows)
  in
  Alcotest.(check int) "all" 7 !reported;
  let find name workers =
    List.find
      (fun (r : Row.t) -> r.scheduler = name && r.workers = workers)
      rows
  in
  let variant = find Contestants.variant 2 in
  let check name x = Alcotest.check seconds name x (Row.value variant name) in
  Alcotest.check seconds "not of the observed run" 1. variant.median_s;
  check "minor_collections" 3.;
  check "max_pause_ms" 1.5;
  check "time_to_stock" 0.5;
  check "speedup_to_elision" 4.;
  Alcotest.(check (option string))
    "checksums are compared" (Some "WRONG RESULT") (find "liar" 1).failure;
  let text =
    Fmt.str "%a%a%a" Tables.program rows Tables.paper rows Tables.summary rows
  in
  List.iter
    (fun word ->
      Alcotest.(check bool)
        word true
        (List.exists
           (fun line -> String.starts_with ~prefix:word (String.trim line))
           (String.split_on_char '\n' text)))
    [ "wc, n = 10"; "elision"; "variant, P = "; "geomean"; "Geometric means" ]

(* {1 Watching} *)

(* The program allocates more than the default minor heap, so it has stops. *)
let watching () =
  match
    Watch.run ~limit:60.
      [ "../../stock/measure.exe"; "wc"; "--size"; "300000"; "--sequential" ]
  with
  | Error why -> Alcotest.fail why
  | Ok seen ->
      let json = Yojson.Safe.from_string seen.output in
      let program = Yojson.Safe.Util.(to_string (member "program" json)) in
      Alcotest.(check string) "its output" "wc" program;
      Alcotest.(check int) "nothing lost" 0 seen.lost;
      Alcotest.(check bool) "stops" true (seen.stops.stops > 0);
      Alcotest.(check bool)
        "within the run" true
        (seen.stops.together_s > 0.
        && seen.stops.together_s <= seen.stops.runs_s)

let failing () =
  (match Watch.run ~limit:60. [ "/no/such/program" ] with
  | Ok seen ->
      (* If fork made the process, its child reports the error. *)
      Alcotest.(check string) "nothing printed" "" seen.output
  | Error _ -> ());
  match
    Watch.run ~limit:60. [ "../../stock/measure.exe"; "no-such-program" ]
  with
  | Ok _ -> Alcotest.fail "a status other than 0 is an error"
  | Error _ -> ()

let () =
  let case name f = Alcotest.test_case name `Quick f in
  Alcotest.run "heap-bench"
    [
      ( "stops",
        [ case "nesting" nesting; case "close" close; case "outside" outside ]
      );
      ("ratios", [ case "ratios" ratios ]);
      ("comparison", [ case "comparison of scripts" comparison ]);
      ( "series",
        [ case "lines" lines; case "beyond stock" beyond; case "drawn" drawn ]
      );
      ("watch", [ case "watching" watching; case "failing" failing ]);
    ]
