(* The programs of measurements: the program of each run, the places of their
   code, and their arguments. *)

open Bench_driver
open Lab

(* A script that prints 1 + its placement as seconds. *)
let by_placement =
  "echo \"{\\\"seconds\\\": $((1 + $1)), \\\"cpu_s\\\": 1, \\\"checksum\\\": \
   7}\""

let spread () =
  let schedulers =
    [ shell "sequential" (says 1.); shell "x" ~placed:true by_placement ]
  in
  let row = row (run ~runs:16 schedulers) "x" 1 in
  let figure name = Row.figure row name in
  Alcotest.(check int) "all runs" 16 row.runs;
  Alcotest.check close "median" 4.5 row.median_s;
  Alcotest.(check (option close)) "all of them" (Some 8.) (figure "placements");
  Alcotest.(check (option close)) "best" (Some 1.) (figure "best_placement_s");
  Alcotest.(check (option close)) "worst" (Some 8.) (figure "worst_placement_s");
  Alcotest.(check (option (float 1e-3)))
    "the time of a fork"
    (Some (7e9 /. 10945.))
    (figure "ns_worst_placement")

let not_placed () =
  let schedulers =
    [ shell "sequential" (says 1.); shell "x" ~placed:false by_placement ]
  in
  let row = row (run ~runs:3 schedulers) "x" 1 in
  Alcotest.check close "the same program" 1. row.max_s;
  Alcotest.(check (option close)) "none" None (Row.figure row "placements")

(* Run i of every contestant is at the same placement, even if the number of
   runs is no multiple of the number of placements. *)
let in_turn () =
  let schedulers =
    [
      shell "sequential" ~placed:true by_placement;
      shell "x" ~placed:true by_placement;
    ]
  in
  let rows = run ~bench:"mcss" ~runs:11 schedulers in
  let turns = [ 1.; 2.; 3.; 4.; 5.; 6.; 7.; 8.; 1.; 2.; 3. ] in
  let check name =
    Alcotest.(check (list close)) name turns (row rows name 1).runs_s
  in
  check "sequential";
  check "x";
  Alcotest.(check (option close))
    "no figures but of forks" None
    (Row.figure (row rows "x" 1) "placements")

(* Runs at the same placement keep the order of their measurement; otherwise
   pairs would come from different rounds. The seconds count the measurements.
   Disturbed measurements are repeated, so single numbers may be missing. *)
let in_order () =
  let counter = Filename.temp_file "lab" ".count" in
  let script =
    Printf.sprintf
      "echo x >> %s; echo \"{\\\"seconds\\\": $(grep -c x %s), \\\"cpu_s\\\": \
       1, \\\"checksum\\\": 7}\""
      counter counter
  in
  let rows = run ~bench:"mcss" ~runs:16 [ shell "x" ~placed:true script ] in
  Sys.remove counter;
  let times = (row rows "x" 1).runs_s in
  Alcotest.(check int) "all runs" 16 (List.length times);
  List.iteri
    (fun i time ->
      if i >= 8 && time <= List.nth times (i - 8) then
        Alcotest.failf "run %d was measured before run %d" i (i - 8))
    times

(* The single measurement of a probe is in one program. *)
let probes_not_spread () =
  let probe = [ shell "x" ~parallel:true ~placed:true by_placement ] in
  let rows = run ~bench:"wakeup" ~runs:11 probe in
  Alcotest.(check int) "once" 1 (row rows "x" 2).runs

(* Symbols of a function shared by all contestants, of a program compiled for
   Dromos, of a program compiled for another contestant, of Dromos and of the
   plain programs: in program k each symbol is 16 k bytes after its place in
   program 0, modulo two lines of 64 bytes. *)
let symbols =
  [
    "camlBench_plain__Mcss.part_";
    "camlBench_dromos__Reductions.reduce_";
    "camlBench_closures__Forks.fib_nocutoff_";
    "camlDromos_fiber__Fork.";
    "camlBench_sequential.mcss_";
  ]

let addresses nm program =
  match Process.run ~limit:30. ~max_rss_mib:500 [ nm; program ] with
  | Failed why -> Alcotest.fail why
  | Output { text; _ } ->
      let lines = String.split_on_char '\n' text in
      let address prefix line =
        match String.split_on_char ' ' line with
        | [ address; ("T" | "t"); symbol ]
          when String.starts_with ~prefix symbol ->
            Some (int_of_string ("0x" ^ address))
        | _ -> None
      in
      List.map
        (fun prefix ->
          match List.find_map (address prefix) lines with
          | Some address -> address
          | None -> Alcotest.failf "%s has no symbol %s.." program prefix)
        symbols

let placed nm =
  let first = addresses nm (beside "at_0.exe") in
  for k = 0 to Placement.count - 1 do
    let program = Printf.sprintf "at_%d.exe" k in
    List.iter2
      (fun (symbol, first) address ->
        Alcotest.(check int)
          (program ^ ", " ^ symbol)
          (16 * k)
          ((address - first) land 127))
      (List.combine symbols first)
      (addresses nm (beside program))
  done

let placements () =
  match (Process.find "nm", Process.find "uname") with
  | Some nm, Some uname -> (
      match Process.run ~limit:5. ~max_rss_mib:100 [ uname; "-sm" ] with
      | Output { text = "Linux x86_64\n"; _ } -> placed nm
      | Output _ | Failed _ -> Alcotest.skip ())
  | _ -> Alcotest.skip ()

(* A printed command is the command of a measurement, and runs alone: whole, and
   in the two parts that instructions.sh counts. *)
let commands () =
  let text =
    call
      [
        "--commands"; "--quick"; "--only"; "mcss,wc"; "--schedulers";
        "sequential,dromos"; "--workers"; "1";
      ] [@ocamlformat "disable"]
  in
  let lines = String.split_on_char '\n' (String.trim text) in
  let alone line =
    let command = String.split_on_char ' ' line in
    let child extra =
      match
        Process.run ~limit:300. ~max_rss_mib:1000
          ((List.hd command :: extra) @ List.tl command)
      with
      | Output { text; _ } -> text
      | Failed why -> Alcotest.failf "%s: %s" line why
    in
    Alcotest.(check bool)
      "a measurement" true
      (String.starts_with ~prefix:"{\"seconds\":" (child []));
    Alcotest.(check string) "without a clock" "" (child [ "--once" ]);
    Alcotest.(check string) "without the run" "" (child [ "--only-input" ])
  in
  List.iter alone lines;
  Alcotest.(check int) "all of them" 4 (List.length lines)

(* instructions.sh counts the loop alone: [iota] has a store and some counting
   for each element; making or collecting the elements would exceed the
   bound. *)
let instructions () =
  match Process.find "valgrind" with
  | None -> Alcotest.skip ()
  | Some valgrind ->
      let n = 100_000 in
      let count mode =
        let command =
          [
            valgrind;
            "--tool=cachegrind";
            "--cache-sim=no";
            "--cachegrind-out-file=/dev/null";
            "--log-fd=1";
            beside "at_0.exe";
            mode;
            "sequential";
            "iota";
            "1";
            "0";
            string_of_int n;
          ]
        in
        match Process.run ~limit:300. ~max_rss_mib:2000 command with
        | Failed why -> Alcotest.fail why
        | Output { text; _ } -> (
            let refs line =
              match Scanf.sscanf line "==%d== I refs: %s" (fun _ s -> s) with
              | digits -> Some digits
              | exception (Scanf.Scan_failure _ | End_of_file | Failure _) ->
                  None
            in
            match List.find_map refs (String.split_on_char '\n' text) with
            | Some digits ->
                int_of_string
                  (String.concat "" (String.split_on_char ',' digits))
            | None -> Alcotest.failf "no count in:\n%s" text)
      in
      let each = (count "--once" - count "--only-input") / n in
      if each < 2 || each > 14 then
        Alcotest.failf "%d instructions for an element" each

let child_refuses () =
  let refused arguments why =
    match
      Process.run ~limit:60. ~max_rss_mib:1000 (beside "at_0.exe" :: arguments)
    with
    | Output _ -> Alcotest.fail "was measured"
    | Failed said ->
        Alcotest.(check string) "says" ("exit status 2: " ^ why) said
  in
  refused
    [ "unknown"; "mcss"; "1"; "0"; "10" ]
    "no contestant is called unknown";
  refused
    [ "--once"; "sequential"; "idle"; "1"; "0"; "10" ]
    "sequential has no job called idle";
  let usage =
    "The lab (bench/main.exe) starts this program for a measurement: \
     [--once|--only-input] CONTESTANT BENCHMARK WORKERS CUTOFF N"
  in
  refused [] usage;
  refused [ "sequential"; "mcss"; "one"; "0"; "10" ] usage

let () =
  let case name f = Alcotest.test_case name `Quick f in
  Alcotest.run "placements"
    [
      ( "runs",
        [
          case "runs are spread over placements" spread;
          case "a program at one place" not_placed;
          case "run by run" in_turn;
          case "in order" in_order;
          case "a probe is at one place" probes_not_spread;
        ] );
      ( "programs",
        [
          case "where the programs are" placements;
          case "commands" commands;
          case "instructions" instructions;
          case "a child's arguments" child_refuses;
        ] );
    ]
