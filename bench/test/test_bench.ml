open Bench_driver
open Lab

let failure rows name = (row rows name 1).failure

let stats () =
  Alcotest.check close "odd" 2. (Stats.median [ 3.; 1.; 2. ]);
  Alcotest.check close "even" 2.5 (Stats.median [ 4.; 1.; 2.; 3. ]);
  Alcotest.check close "least" 1. (Stats.least [ 3.; 1.; 2. ]);
  Alcotest.check close "most" 3. (Stats.most [ 3.; 1.; 2. ]);
  Alcotest.check_raises "none" (Invalid_argument "Stats: no samples") (fun () ->
      ignore (Stats.median []))

let axis () =
  let a = Axis.linear ~from:0. ~upto:0.87 in
  Alcotest.check close "starts at 0" 0. (Axis.at a 0.);
  Alcotest.(check bool) "covers" true (Axis.at a 0.87 <= 1.);
  let count = List.length (Axis.ticks a) in
  Alcotest.(check bool) "a few ticks" true (4 <= count && count <= 12);
  let l = Axis.log ~from:0.001 ~upto:10. in
  let step = Axis.at l 0.1 -. Axis.at l 0.01 in
  Alcotest.check close "equal decades" step (Axis.at l 1. -. Axis.at l 0.1);
  Alcotest.check_raises "no logarithm" (Invalid_argument "Axis.log") (fun () ->
      ignore (Axis.log ~from:0. ~upto:1.))

(* Several runs in one process: the first run has warmed the process up. *)
let several () =
  let list =
    "echo '{\"seconds\": [9, 2, 4], \"cpu_s\": [8, 1, 1], \"checksum\": 7}'"
  and one = "echo '{\"seconds\": [3], \"cpu_s\": [1], \"checksum\": 7}'" in
  let rows = run [ shell "list" list; shell "one" one ] in
  Alcotest.check close "not the first" 3. (row rows "list" 1).median_s;
  Alcotest.check close "not its cpu" 1. (row rows "list" 1).cpu_s;
  Alcotest.check close "but alone" 3. (row rows "one" 1).median_s

(* A contestant runs until warm, however short or long its runs: a contestant of
   0.05 s beside a contestant of 0.2 s is not warm beside a cold one. *)
let warmed_up () =
  let counts seconds =
    let runs = ref 0 in
    let run () =
      incr runs;
      !runs
    in
    Child.warmed_up run ~seconds:(fun _ -> seconds)
  in
  Alcotest.(check (list int))
    "which run counts" [ 2; 2; 2; 1 ]
    (List.map counts [ 0.05; 0.2; 4.; 6. ])

let derived () =
  let rows =
    run [ shell "sequential" (says 1.); shell "x" ~parallel:true (says 3.) ]
  in
  let two = row rows "x" 2 in
  Alcotest.(check (option close)) "ratio" (Some 3.) two.ratio_to_sequential;
  Alcotest.(check (option close))
    "speed-up" (Some 1.) (Row.figure two "speedup");
  let forks = float_of_int (Bench_plain.Fib.forks 20) in
  Alcotest.(check (option (float 1e-3)))
    "per fork"
    (Some (2e9 /. forks))
    (Row.figure two "ns_per_fork");
  Alcotest.(check int) "forks of fib 20" 10945 (Bench_plain.Fib.forks 20)

let failures () =
  let rows =
    run ~limit:0.5
      [
        shell "sequential" (says 1.);
        shell "liar" (says ~checksum:8 1.);
        shell "slow" "sleep 30";
        shell "hangs" (says 1. ^ "; exec >&-; sleep 30");
        shell "breaks" "echo no such luck >&2; exit 3";
        shell "mumbles" "echo hello";
      ]
  in
  let expect name why =
    Alcotest.(check (option string)) name why (failure rows name)
  in
  expect "sequential" None;
  expect "liar" (Some "WRONG RESULT");
  expect "slow" (Some "over 0.5 s");
  expect "hangs" (Some "hangs at its end");
  expect "breaks" (Some "exit status 3: no such luck");
  expect "mumbles" (Some "its output is not what was asked for")

let json () =
  let rows = run [ shell "sequential" (says 1.); shell "bad" "exit 1" ] in
  let again = List.map (fun r -> Row.of_json (Row.to_json r)) rows in
  Alcotest.(check bool) "the same rows" true (compare rows again = 0);
  match Row.of_json (`Assoc [ ("bench", `String "fib") ]) with
  | _ -> Alcotest.fail "a row without its fields was read"
  | exception Failure _ -> ()

(* {1 The program of the servers} *)

let server_job () =
  let open Bench_core.Server_job in
  let job =
    {
      server = "lwt-dromos";
      bench = "fibserver";
      workers = 2;
      load = 400;
      seconds = 0.1;
      n = 30;
    }
  in
  let arguments = arguments job in
  Alcotest.(check bool) "the same job" true (of_arguments arguments = Some job);
  Alcotest.(check bool)
    "no job" true
    (of_arguments ("--other" :: List.tl arguments) = None
    && of_arguments (List.tl arguments) = None
    && of_arguments (List.map (fun _ -> "--measure-server") arguments) = None)

(* The list comes from the program itself; without the program, a line says that
   there are no servers. *)
let no_servers () =
  let lines, benches = Servers.look ~program:main ~wrk:None in
  let gone, nothing =
    Servers.look ~program:"nowhere/servers.exe" ~wrk:(Some "wrk")
  in
  Alcotest.(check (list string)) "nothing to measure" [] nothing;
  Alcotest.(check int) "one line" 1 (List.length gone);
  if Servers.all = [] then
    Alcotest.(check (list string)) "not compiled in" gone lines
  else (
    Alcotest.(check (list string))
      "without wrk"
      [ "fibserver"; "fibserver_mixed"; "ticker" ]
      benches;
    let starts prefix line = String.starts_with ~prefix line in
    Alcotest.(check bool)
      "says that wrk is missing" true
      (List.exists (starts "wrk is not installed") lines);
    Alcotest.(check bool)
      "says which program" true
      (starts "nowhere/servers.exe is not there" (List.hd gone)))

(* The program itself. *)

let temporary = Filename.temp_dir "bench" ""
let file name = Filename.concat temporary name

let smoke () =
  let json = file "rows.json" and plots = file "plots" in
  let text =
    call
      [
        "--quick"; "--runs"; "1"; "--only"; "fib,fib_nocutoff,iota"; "--schedulers";
        "sequential,sequential_closures,dromos,dromos-std"; "--json"; json;
        "--plots"; plots;
      ] [@ocamlformat "disable"]
  in
  Alcotest.(check bool) "prints tables" true (String.length text > 500);
  let rows = Row.read json in
  let failed = List.filter (fun (r : Row.t) -> r.failure <> None) rows in
  List.iter
    (fun (r : Row.t) ->
      Alcotest.failf "%s, %s: %s" r.bench r.scheduler (Option.get r.failure))
    failed;
  List.iter
    (fun bench ->
      List.iter
        (fun (name, workers) ->
          let r =
            row
              (List.filter (fun (r : Row.t) -> r.bench = bench) rows)
              name workers
          in
          Alcotest.(check bool) "took time" true (r.median_s > 0.))
        [ ("sequential", 1); ("dromos", 1); ("dromos", 2); ("dromos-std", 2) ])
    [ "fib"; "fib_nocutoff"; "iota" ];
  let drawn = Sys.readdir plots in
  Alcotest.(check bool)
    "fib over cut-offs" true
    (Array.mem "fib-30-cutoffs.svg" drawn);
  Alcotest.(check bool)
    "fib over workers" true
    (Array.mem "fib-30-workers.svg" drawn);
  Alcotest.(check bool)
    "the costs of a fork" true
    (Array.exists
       (fun name ->
         String.starts_with ~prefix:"fib_nocutoff-" name
         && String.ends_with ~suffix:"-overheads.svg" name)
       drawn);
  (* The number of grid lines, and of labels, depends on the times. *)
  Array.iter
    (fun name ->
      let path = Filename.concat plots name in
      match
        Svg.elements (In_channel.with_open_bin path In_channel.input_all)
      with
      | Ok count -> Alcotest.(check bool) "has content" true (count > 15)
      | Error what -> Alcotest.failf "%s: %s" name what)
    drawn

(* Every program, at a small size, agrees with the plain program; the driver
   checks the checksums. *)
let results () =
  let rows_file = file "all.json" in
  let benches =
    List.filter
      (fun (b : Suite.t) ->
        b.kind = Suite.Time && List.mem Suite.general b.families)
      Suite.all
    |> List.map (fun (b : Suite.t) -> b.name)
  in
  ignore
    (call
       [
         "--quick"; "--runs"; "1"; "--only"; String.concat "," benches; "--schedulers";
         "sequential,sequential_closures,dromos"; "--workers"; "2"; "--json";
         rows_file;
       ] [@ocamlformat "disable"]);
  let check (r : Row.t) =
    Alcotest.(check (option string))
      (r.bench ^ ", " ^ r.scheduler)
      None r.failure
  in
  let rows = Row.read rows_file in
  List.iter check rows;
  Alcotest.(check bool)
    "all there" true
    (List.length rows >= 3 * List.length benches)

(* The lab does not carry the servers' libraries: a probe of memory must not
   measure them. Compares with an idle program, since heaps differ by
   machine. *)
let lean () =
  let rows_file = file "lean.json" in
  ignore
    (call
       [
         "--only"; "memory_fib"; "--size"; "5"; "--schedulers"; "dromos";
         "--workers"; "1"; "--json"; rows_file;
       ] [@ocamlformat "disable"]);
  match Row.read rows_file with
  | [ row ] -> (
      match Row.figure row "max_rss_mib" with
      | Some mib when mib > 0. && mib < 16. -> ()
      | Some mib -> Alcotest.failf "%g MiB before anything is computed" mib
      | None -> Alcotest.fail "no figure")
  | rows -> Alcotest.failf "%d rows" (List.length rows)

(* Every message arrives: the sums equal the sums of the queue with a lock. No
   task waits for ever beside cancelled tasks. *)
let messages () =
  let rows_file = file "messages.json" in
  ignore
    (call
       [
         "--quick"; "--runs"; "1"; "--only"; "messages,cancel_cost"; "--size"; "2000";
         "--schedulers"; "conditions-1,channel-0,mvar-1,promises,resumers-1";
         "--workers"; "2"; "--json"; rows_file;
       ] [@ocamlformat "disable"]);
  let rows = Row.read rows_file in
  let failed = List.filter (fun (r : Row.t) -> r.failure <> None) rows in
  Alcotest.(check (list string))
    "failures" []
    (List.map (fun (r : Row.t) -> r.bench ^ ", " ^ r.scheduler) failed);
  Alcotest.(check int) "all there" 8 (List.length rows)

(* Rows of benchmarks of the scheduling framework; none of the rows failed. *)
let framework_rows ~benches ~schedulers ~workers =
  let rows_file = file "framework.json" in
  ignore
    (call
       [
         "--quick"; "--runs"; "1"; "--only"; benches; "--schedulers"; schedulers;
         "--workers"; workers; "--json"; rows_file;
       ] [@ocamlformat "disable"]);
  let rows = Row.read rows_file in
  let failures =
    List.filter_map
      (fun (r : Row.t) ->
        Option.map (fun why -> (r.bench ^ ", " ^ r.scheduler, why)) r.failure)
      rows
  in
  Alcotest.(check (list (pair string string))) "failures" [] failures;
  rows

let have rows bench name =
  let mine = List.filter (fun (r : Row.t) -> r.bench = bench) rows in
  let has r = Row.figure r name <> None in
  Alcotest.(check bool) (bench ^ " tells " ^ name) true (List.exists has mine)

let switching () =
  let rows =
    framework_rows ~benches:"sched_switch,sched_spawn,sched_forward"
      ~schedulers:
        "sched-root,sched-rr,sched-priority,dromos-tasks,dromos-fifo-fibers,systhreads"
      ~workers:"1"
  in
  Alcotest.(check int) "all there" (6 + 6 + (3 * 3)) (List.length rows);
  have rows "sched_switch" "switches_per_s";
  have rows "sched_spawn" "ns_each";
  have rows "sched_forward" "ns_per_action";
  let drawn =
    List.map Filename.basename (Plot.draw ~dir:(file "switch") rows)
  in
  Alcotest.(check bool)
    "yields over nested actions" true
    (List.mem "sched_forward-20000-actions.svg" drawn)

let preempting () =
  let rows =
    framework_rows ~benches:"sched_periodic,preempt_cost"
      ~schedulers:
        "rr-none,rr-forced-1ms,priority-forced-1ms,deadline-forced-1ms"
      ~workers:"1"
  in
  Alcotest.(check int) "all there" 8 (List.length rows);
  have rows "sched_periodic" "p99_quanta";
  have rows "preempt_cost" "to_none";
  (* Without preemption, the periodic fiber has to wait for all four computing
     fibers. *)
  let p50 name =
    let mine (r : Row.t) = r.bench = "sched_periodic" && r.scheduler = name in
    Option.get (Row.figure (List.find mine rows) "p50_ms")
  in
  Alcotest.(check bool)
    "preemption helps" true
    (p50 "priority-forced-1ms" < p50 "rr-none" /. 2.)

let binding () =
  let rows =
    framework_rows ~benches:"sched_fib"
      ~schedulers:
        "sequential,pval-1-closures,pval-2-frame,pval-3-poll,pval-4-handler,pval-cell,pval-deque,pval-ctx,pval-ctx-uncancelled,pval,both-ctx,both"
      ~workers:"1"
  in
  Alcotest.(check int) "all there" 12 (List.length rows);
  have rows "sched_fib" "ns_per_fork";
  have rows "sched_fib" "to_uncancelled"

let applied () =
  let rows =
    framework_rows ~benches:"raytracer,barnes_hut,sched_msort,bitonic"
      ~schedulers:"sequential,sched-gang,sched-stealing" ~workers:"1,2"
  in
  Alcotest.(check int) "all there" 12 (List.length rows)

let speculating () =
  let rows =
    framework_rows ~benches:"queens_por" ~schedulers:"sequential,por,por-fibers"
      ~workers:"1,2"
  in
  Alcotest.(check int) "all there" 5 (List.length rows);
  have rows "queens_por" "cancel_us";
  have rows "queens_por" "us_per_cancelled"

(* The page on servers shows the drawings that the lab makes from the rows
   beside the page. *)
let page () =
  let doc = List.fold_left Filename.concat ".." [ ".."; "doc" ] in
  let read path = In_channel.with_open_bin path In_channel.input_all in
  let text = read (Filename.concat doc "servers.md") in
  let rows = Row.read (Filename.concat doc "servers.json") in
  let drawn = Plot.draw ~dir:(file "page") rows in
  Alcotest.(check int) "plots" 4 (List.length drawn);
  List.iter
    (fun path ->
      let name = Filename.basename path in
      if read path <> read (Filename.concat doc name) then
        Alcotest.failf
          "doc/%s is not what is drawn from doc/servers.json; bench/main.exe \
           --from doc/servers.json --plots doc draws it"
          name;
      let shown = List.exists (String.ends_with ~suffix:("(" ^ name)) in
      if not (shown (String.split_on_char ')' text)) then
        Alcotest.failf "doc/servers.md does not show %s" name)
    drawn;
  let servers = List.map (fun (r : Row.t) -> "`" ^ r.scheduler) rows in
  List.iter
    (fun server ->
      if
        not
          (List.exists
             (String.ends_with ~suffix:server)
             (String.split_on_char '`' text |> List.map (fun s -> "`" ^ s)))
      then Alcotest.failf "doc/servers.md does not name %s" server)
    (List.sort_uniq compare servers)

let checker () =
  let wrong s =
    match Svg.elements s with
    | Ok _ -> Alcotest.failf "%s should be refused" s
    | Error _ -> ()
  in
  List.iter wrong
    [ "<a>"; "<a></b>"; "<a x=1/>"; "<a>&</a>"; "<a x=\"1/>"; "</a>" ];
  Alcotest.(check (result int string))
    "fine" (Ok 2)
    (Svg.elements "<a x=\"1\">t &amp; <b/></a>")

let () =
  let case name f = Alcotest.test_case name `Quick f in
  Alcotest.run "bench"
    [
      ( "parts",
        [
          case "statistics" stats; case "axes" axis; case "derived figures" derived;
          case "several runs in a process" several;
          case "the run that counts" warmed_up;
          case "contestants that fail" failures; case "rows as JSON" json;
          case "the checker of SVG" checker;
          case "jobs of the servers' program" server_job;
          case "without the servers' program" no_servers;
        ] [@ocamlformat "disable"]
      );
      ( "whole",
        [
          case "smoke" smoke;
          case "every result" results;
          case "messages" messages;
          case "switching" switching;
          case "preempting" preempting;
          case "parallel bindings" binding;
          case "applied" applied;
          case "speculating" speculating;
          case "the page on servers" page;
          case "memory of the lab itself" lean;
        ] );
    ]
