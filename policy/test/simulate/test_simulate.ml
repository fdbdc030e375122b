open Dromos_policy_semantics
open Dromos_policy_simulate
module Elaborate = Dromos_policy_elaborate.Elaborate
module Fault = Dromos_policy_syntax.Fault

let policy name =
  let file = Printf.sprintf "../../policies/%s.policy" name in
  match Elaborate.file file with
  | Ok { policy; _ } -> policy
  | Error (source, faults) ->
      Alcotest.failf "%s"
        (String.concat "" (List.map (Fault.to_string ~source) faults))

let policies =
  [
    "ule_cwc";
    "ule";
    "fifo";
    "cfs_cwc";
    "cfs_cwc_flat";
    "edf";
    "lottery";
    "round_robin";
    "work_stealing";
    "threshold3";
  ]

let workload ?load ?(length = 0.2) ~cores name =
  match Workload.synthetic ?load ~length ~seed:1 ~cores name with
  | Ok w -> w
  | Error text -> Alcotest.fail text

(* All that its threads compute. *)
let rec demand (t : Workload.thread) =
  Seq.fold_left
    (fun sum -> function
      | Workload.Compute d -> sum +. d | Spawn t -> sum +. demand t | _ -> sum)
    0. t.actions

let total (w : Workload.t) =
  List.fold_left (fun sum (_, t) -> sum +. demand t) 0. w.starts

let runs name () =
  let policy = policy name in
  List.iter
    (fun (kind, _) ->
      List.iter
        (fun (cores, topology, load) ->
          let what = Printf.sprintf "%s, %s, %d cores" name kind cores in
          let w = workload ~load ~cores kind in
          let r = Engine.run policy topology w in
          Option.iter (Alcotest.failf "%s: %s" what) r.stuck;
          let computed = Array.fold_left ( +. ) 0. r.computed in
          if Float.abs (computed -. total w) > 0.001 *. total w then
            Alcotest.failf "%s: computed %f of %f" what computed (total w);
          Alcotest.(check int) what w.most_threads (Array.length r.names);
          let f = Figures.of_result ~cores r in
          if f.busy > 1.0001 || f.fairness > 1.0001 || f.wait_p50 > f.wait_max
          then Alcotest.failf "%s:@.%a" what Figures.pp f;
          match
            Dromos_trace.Timeline.check
              (Drawing.timeline ~policy:name ~workload:kind ~cores r)
          with
          | Ok () -> ()
          | Error text -> Alcotest.failf "%s: %s" what text)
        [
          (1, Topology.flat 1, 3.);
          (4, Topology.flat 4, 1.5);
          (8, Topology.tree ~cores:8 4, 1.);
        ])
    Workload.names

let again () =
  let once () =
    let r =
      Engine.run (policy "ule_cwc") (Topology.flat 4) (workload ~cores:4 "oltp")
    in
    (r.finished, List.length r.happenings)
  in
  Alcotest.(check (pair (float 0.) int)) "the same again" (once ()) (once ())

(* A policy that gives up, or waits for a greater difference, leaves cores idle. *)
let wasted name =
  let cores = 16 in
  let w = workload ~load:1.5 ~length:0.5 ~cores "nas" in
  (Figures.of_result ~cores (Engine.run (policy name) (Topology.flat cores) w))
    .wasted

let conserving () =
  let good = wasted "ule_cwc" and bad = wasted "threshold3" in
  if good > bad /. 2. then
    Alcotest.failf "wasted: ule_cwc %f, threshold3 %f" good bad

let dead () =
  let w =
    {
      (workload ~cores:2 "nas") with
      starts =
        [
          ( 0.,
            {
              Workload.name = "alone";
              settings = [];
              actions = List.to_seq [ Workload.Compute 5.; Barrier 0 ];
            } );
        ];
      barriers = [ (0, 2) ];
      most_threads = 1;
    }
  in
  match (Engine.run (policy "fifo") (Topology.flat 2) w).stuck with
  | Some text when String.starts_with ~prefix:"1 threads never end: alone" text
    ->
      ()
  | Some text -> Alcotest.fail text
  | None -> Alcotest.fail "it ended"

let traces () =
  let read text =
    let file = Filename.temp_file "trace" ".json" in
    Out_channel.with_open_bin file (fun out -> output_string out text);
    let answer = Workload.of_file file in
    Sys.remove file;
    answer
  in
  let ok =
    {|{"threads": [{"name": "a", "actions": [["compute", 10], ["spawn",
       {"actions": [["compute", 5.5]]}], ["join"], ["barrier", 3]]},
       {"start": 100, "actions": [["barrier", 3], ["yield"]]}]}|}
  in
  (match read ok with
  | Error text -> Alcotest.fail text
  | Ok w ->
      Alcotest.(check int) "threads" 3 w.most_threads;
      let r = Engine.run (policy "fifo") (Topology.flat 2) w in
      Alcotest.(check (option string)) "ends" None r.stuck);
  List.iter
    (fun (text, part) ->
      match read text with
      | Ok _ -> Alcotest.failf "accepted: %s" text
      | Error said ->
          let n = String.length part in
          let rec has i =
            i + n <= String.length said
            && (String.sub said i n = part || has (i + 1))
          in
          if not (has 0) then Alcotest.failf "%s: %s" text said)
    [
      ("[]", "no list \"threads\"");
      ("{", "not JSON");
      ({|{"threads": []}|}, "no thread");
      ({|{"threads": [{"actions": [["compute"]]}]}|}, "thread 0, action 0");
      ({|{"threads": [{"actions": [["compute", -1]]}]}|}, "negative");
      ({|{"threads": [{"name": 3, "actions": []}]}|}, "name");
    ]

let topologies () =
  List.iter
    (fun text ->
      match Topology_file.of_string text with
      | Ok _ -> ()
      | Error said -> Alcotest.failf "%s: %s" text said)
    [ "1"; "16"; "16/4" ];
  List.iter
    (fun text ->
      match Topology_file.of_string text with
      | Ok _ -> Alcotest.failf "accepted: %s" text
      | Error _ -> ())
    [ "0"; "-3"; "100"; "4/0"; "x"; "4/2/1" ]

let () =
  let case name f = Alcotest.test_case name `Quick f in
  Alcotest.run "simulate"
    [
      ("policies", List.map (fun name -> case name (runs name)) policies);
      ( "engine",
        [
          case "deterministic" again;
          case "work conservation shows" conserving;
          case "a thread that waits for ever" dead;
        ] );
      ("files", [ case "traces" traces; case "machines" topologies ]);
    ]
