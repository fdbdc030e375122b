(* Verdicts: the choice of peers, the table, and the program. *)

open Bench_driver
open Lab

(* {1 Rows} *)

let row ?(bench = "mcss") ?(workers = 1) ?cutoff ?failure scheduler runs_s =
  {
    Row.bench;
    scheduler;
    workers;
    cutoff;
    n = 1000;
    failure;
    runs_s;
    runs = List.length runs_s;
    disturbed = 0;
    cpu_s = nan;
    max_rss_kib = None;
    median_s = (if runs_s = [] then nan else Stats.median runs_s);
    min_s = nan;
    max_s = nan;
    ratio_to_sequential = None;
    figures = [];
  }

let times mean = series ~count:8 ~seed:3 ~noise:0.01 mean

let told (l : Verdict.line) =
  ( Printf.sprintf "%s, %d: %s" l.scheduler l.workers l.peer,
    match l.outcome with
    | Ok result -> Paired.name result.verdict
    | Error why -> why )

let lines rows = List.map told (Verdict.lines rows)
let lines_are = Alcotest.(check (list (pair string string)))

let chooses () =
  lines_are "the best peer of the row, and the plain program on one worker"
    [
      ("dromos, 1: moonpool-ws", "ahead");
      ("dromos, 1: sequential", "behind");
      ("dromos, 2: domainslib", "equal");
    ]
    (lines
       [
         row "sequential" (times 0.5);
         row ~cutoff:9 "dromos" (times 1.);
         row ~cutoff:9 ~workers:2 "dromos" (times 0.6);
         row ~cutoff:9 "dromos-std" (times 0.1);
         row ~cutoff:9 "domainslib" (times 3.);
         row ~cutoff:9 "moonpool-ws" (times 2.);
         row ~cutoff:8 "moonpool-ws" (times 0.1);
         row ~cutoff:9 ~workers:2 "domainslib" (times 0.6);
         row ~cutoff:9 ~workers:2 "moonpool-ws" (times 2.);
         row ~cutoff:9 ~workers:2 "picos-random" ~failure:"over 20 s" [];
         row ~cutoff:9 ~workers:2 ~bench:"wc" "picos-random" (times 0.1);
       ])

let capacities () =
  let messages = row ~bench:"messages" in
  lines_are "queues of the same capacity"
    [
      ("channel-0, 1: conditions-1", "ahead");
      ("stream-16, 1: conditions-16", "behind");
    ]
    (lines
       [
         messages "channel-0" (times 1.);
         messages "stream-16" (times 1.);
         messages "conditions-1" (times 2.);
         messages "conditions-16" (times 0.5);
         messages "conditions-1000" (times 0.1);
         messages "resumers-16" (times 0.1);
       ])

let failures () =
  lines_are "why there is no verdict"
    [
      ("dromos, 1: domainslib", "dromos: over 2 s");
      ("dromos, 2: domainslib", "domainslib: WRONG RESULT");
      ("sched-rr, 1: systhreads", "the single runs were not kept");
    ]
    (lines
       [
         row ~failure:"over 2 s" "dromos" [];
         row "domainslib" (times 1.);
         row ~workers:2 "dromos" (times 1.);
         row ~workers:2 ~failure:"WRONG RESULT" "domainslib" (times 1.);
         row ~bench:"sched_switch" "sched-rr" [];
         row ~bench:"sched_switch" "systhreads" [];
         row ~bench:"wakeup" "dromos" (times 1.);
         row ~bench:"wakeup" "domainslib" (times 1.);
         row ~bench:"unheard of" "dromos" (times 1.);
         row ~bench:"unheard of" "domainslib" (times 1.);
       ])

(* A renamed contestant must not drop out of the verdicts. *)
let names () =
  let is_ours (s : Scheduler.t) = Rivals.of_ours s.name <> None in
  let judged (b : Suite.t) =
    b.kind = Time
    && List.exists (fun s -> is_ours s && s.Scheduler.has b.name) Scheduler.ours
  in
  (* Benchmarks of hubs and of preemption compare Dromos with itself. *)
  let unjudged =
    List.filter (fun (b : Suite.t) -> b.kind = Time && not (judged b)) Suite.all
  in
  Alcotest.(check (list string))
    "benchmarks without a verdict"
    [ "preempt_cost"; "barriers"; "barriers_beside" ]
    (List.map (fun (b : Suite.t) -> b.name) unjudged);
  Alcotest.(check int)
    "ours" 17
    (List.length (List.filter is_ours Scheduler.ours))

(* {1 The table} *)

let table () =
  let text rows = Fmt.str "%a" Verdict.print (Verdict.lines rows) in
  let shows what rows part =
    let text = text rows in
    if not (contains text part) then
      Alcotest.failf "%s: %S is not in:\n%s" what part text
  in
  let rows own peer = [ row "dromos" own; row "domainslib" peer ] in
  let ones = List.init 8 (fun _ -> 1.) in
  shows "ahead" (rows ones (scaled 2. ones)) "8  0.500  0.500  0.500   ahead\n";
  shows "counts"
    (rows ones (scaled 2. ones))
    "1 ahead, 0 equal, 0 behind, 0 unclear";
  shows "a draw"
    (rows (scaled 1.02 ones)
       (List.init 8 (fun i -> if i < 4 then 1. else 1.04)))
    "equal within 2.0 %\n";
  shows "no draw"
    (rows ones (List.init 8 (fun i -> if i < 4 then 0.5 else 2.)))
    "unclear: up to 100.0 % apart\n";
  shows "one run" (rows [ 1. ] [ 1. ]) "unclear: 1 run\n";
  shows "failure" (rows ones []) "-   the single runs were not kept\n";
  shows "nothing" [ row "domainslib" ones ] "No row of Dromos"

let json () =
  let rows =
    [
      row "dromos" (times 1.);
      row ~failure:"late" "domainslib" [];
      row "sequential" (times 2.);
    ]
  in
  match Verdict.to_json (Verdict.lines rows) with
  | `List [ `Assoc failed; `Assoc judged ] ->
      let field fields name = List.assoc name fields in
      Alcotest.(check bool)
        "no verdict" true
        (field failed "verdict" = `Null
        && field failed "ratio" = `Null
        && field failed "failure" = `String "domainslib: late");
      let number name =
        match field judged name with
        | `Float x -> x
        | _ -> Alcotest.failf "%s is no number" name
      in
      Alcotest.(check bool)
        "the names" true
        (field judged "verdict" = `String "ahead"
        && field judged "peer" = `String "sequential"
        && field judged "pairs" = `Int 8
        && field judged "cutoff" = `Null);
      Alcotest.(check bool)
        "the interval" true
        (number "low" <= number "ratio" && number "ratio" <= number "high")
  | _ -> Alcotest.fail "two objects were expected"

(* Rows of older files, without single runs, can still be read. *)
let older () =
  let now = row "dromos" [ 1.; 2.; 3. ] in
  match Row.to_json now with
  | `Assoc fields ->
      let again = Row.of_json (`Assoc fields) in
      Alcotest.(check (list close)) "kept" [ 1.; 2.; 3. ] again.runs_s;
      let older = Row.of_json (`Assoc (List.remove_assoc "runs_s" fields)) in
      Alcotest.(check (list close)) "not there" [] older.runs_s
  | _ -> Alcotest.fail "an object was expected"

(* {1 The program} *)

let temporary = Filename.temp_dir "verdict" ""

(* The table of a run is the table of its file. *)
let whole () =
  let file = Filename.concat temporary "rows.json" in
  let text =
    call
      [
        "--verdict";
        "--quick";
        "--only";
        "iota,sync_lock,raytracer";
        "--runs";
        "2";
        "--json";
        file;
      ]
  in
  let again = call [ "--verdict"; "--from"; file ] in
  if not (contains text again) then
    Alcotest.failf "from the file:\n%s\nmeasured:\n%s" again text;
  let rows = Row.read file in
  List.iter
    (fun (r : Row.t) ->
      Alcotest.(check int) (r.scheduler ^ "'s runs") 2 (List.length r.runs_s))
    rows;
  let line part =
    if not (contains again part) then
      Alcotest.failf "%S is not in:\n%s" part again
  in
  List.iter line [ "unclear: 2 runs"; "mutex-domains"; "sched-gang" ];
  Alcotest.(check bool)
    "only those that are compared" false
    (List.exists (fun (r : Row.t) -> r.scheduler = "dromos-std") rows)

let () =
  let case name f = Alcotest.test_case name `Quick f in
  Alcotest.run "verdict"
    [
      ( "rows",
        [
          case "the best peer" chooses;
          case "capacities" capacities;
          case "failures" failures;
          case "names" names;
          case "table" table;
          case "json" json;
          case "older rows" older;
          case "the program" whole;
        ] );
    ]
