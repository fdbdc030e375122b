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
    "scx_flatcg";
    "scx_rusty";
    "scx_simple_vtime";
    "work_stealing";
    "random_stealing";
    "threshold3";
  ]

let workload ?load ?(length = 0.2) ~cores name =
  match Workload.synthetic ?load ~length ~seed:1 ~cores name with
  | Ok w -> w
  | Error text -> Alcotest.fail text

(* The sum of all computing of a thread and its children. *)
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
          let f = Summary.of_result ~cores r in
          if f.busy > 1.0001 || f.fairness > 1.0001 || f.wait_p50 > f.wait_max
          then Alcotest.failf "%s:@.%a" what Summary.pp f;
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

(* The paper's machine: sets of several words, flat and in nodes. With as many
   threads as cores, balancing must find a thread for each core, even the
   last. *)
let large name topology () =
  let policy = policy name in
  List.iter
    (fun topology ->
      let cores = topology.Topology.cores in
      let w = workload ~length:0.025 ~cores "nas" in
      let r = Engine.run policy topology w in
      Option.iter (Alcotest.failf "%s: %s" name) r.stuck;
      let used = Array.make cores false in
      List.iter
        (function Engine.Began { core; _ } -> used.(core) <- true | _ -> ())
        r.happenings;
      Array.iteri
        (fun c used -> if not used then Alcotest.failf "core %d runs nothing" c)
        used)
    [ topology ]

let again () =
  let once () =
    let r =
      Engine.run (policy "ule_cwc") (Topology.flat 4) (workload ~cores:4 "oltp")
    in
    (r.finished, List.length r.happenings)
  in
  Alcotest.(check (pair (float 0.) int)) "the same again" (once ()) (once ())

(* A policy that gives up, or waits for a greater difference, leaves cores
   idle. *)
let wasted name =
  let cores = 16 in
  let w = workload ~load:1.5 ~length:0.5 ~cores "nas" in
  (Summary.of_result ~cores (Engine.run (policy name) (Topology.flat cores) w))
    .wasted

let conserving () =
  let good = wasted "ule_cwc" and bad = wasted "threshold3" in
  if good > bad /. 2. then
    Alcotest.failf "wasted: ule_cwc %f, threshold3 %f" good bad

(* {1 The purpose of each policy}: threads that compute, all on one core. *)

let alone name threads =
  let start (name, settings, milliseconds) =
    let actions = List.to_seq [ Workload.Compute (1000. *. milliseconds) ] in
    (0., { Workload.name; attached = false; settings; actions })
  in
  Engine.run (policy name) (Topology.flat 1)
    {
      (workload ~cores:1 "nas") with
      starts = List.map start threads;
      barriers = [];
      most_threads = List.length threads;
    }

let order_of_ends name threads expected () =
  let r = alone name threads in
  let ended = function
    | Engine.Left { thread; ended = true; _ } -> Some r.names.(thread)
    | _ -> None
  in
  Alcotest.(check (list string))
    name expected
    (List.filter_map ended r.happenings)

(* The share of the first half of the time in which each thread ran. *)
let shares name threads expected () =
  let r = alone name threads in
  let half = r.finished /. 2. in
  let ran = Array.map (fun _ -> 0.) r.names in
  List.iter
    (function
      | Engine.Ran { thread; from; until; _ } ->
          let time = Float.min until half -. Float.min from half in
          ran.(thread) <- ran.(thread) +. (time /. half)
      | _ -> ())
    r.happenings;
  List.iteri
    (fun i share ->
      if Float.abs (ran.(i) -. share) > 0.1 then
        Alcotest.failf "%s: %s ran %.2f of the time, not %.2f" name r.names.(i)
          ran.(i) share)
    expected

let due n name = (name, [ ("deadline", n) ], 10.)
let tickets n name = (name, [ ("tickets", n) ], 2000.)
let nice n name = (name, [ ("nice", n) ], 200.)

let purposes =
  let abc = List.map (fun name -> (name, [], 100.)) [ "a"; "b"; "c" ] in
  let case name f = Alcotest.test_case name `Quick f in
  [
    case "fifo: the first to come" (order_of_ends "fifo" abc [ "a"; "b"; "c" ]);
    case "edf: the nearest deadline"
      (order_of_ends "edf"
         [ due 9 "a"; due 3 "b"; due 5 "c" ]
         [ "b"; "c"; "a" ]);
    case "round_robin: the same for all"
      (shares "round_robin" abc [ 0.33; 0.33; 0.33 ]);
    case "cfs_cwc: by weight"
      (shares "cfs_cwc" [ nice 0 "a"; nice 5 "b" ] [ 0.75; 0.25 ]);
    case "cfs_cwc_flat: by weight"
      (shares "cfs_cwc_flat" [ nice 0 "a"; nice 5 "b" ] [ 0.75; 0.25 ]);
    case "lottery: by tickets"
      (shares "lottery" [ tickets 300 "a"; tickets 100 "b" ] [ 0.75; 0.25 ]);
    case "ule: slices" (shares "ule" abc [ 0.33; 0.33; 0.33 ]);
    case "ule_cwc: slices" (shares "ule_cwc" abc [ 0.33; 0.33; 0.33 ]);
  ]

let dead () =
  let w =
    {
      (workload ~cores:2 "nas") with
      starts =
        [
          ( 0.,
            {
              Workload.name = "alone";
              attached = false;
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
          if not (Said.contains said part) then
            Alcotest.failf "%s: %s" text said)
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
    [ "1"; "16"; "16/4"; "62"; "63"; "160"; "160/8"; "1024" ];
  List.iter
    (fun text ->
      match Topology_file.of_string text with
      | Ok _ -> Alcotest.failf "accepted: %s" text
      | Error _ -> ())
    [ "0"; "-3"; "1025"; "4/0"; "x"; "4/2/1" ];
  match Topology_file.of_string "1025" with
  | Ok _ -> Alcotest.fail "accepted: 1025"
  | Error said ->
      Alcotest.(check string)
        "the end is named"
        "Topology: 1025 cores; there must be between 1 and 1024" said

let machine_files () =
  let read text =
    let file = Filename.temp_file "machine" ".json" in
    Out_channel.with_open_bin file (fun ch -> output_string ch text);
    Fun.protect
      (fun () -> Topology_file.of_file file)
      ~finally:(fun () -> Sys.remove file)
  in
  let refused text what =
    match read text with
    | Ok _ -> Alcotest.failf "accepted: %s" text
    | Error said ->
        let ends = String.ends_with ~suffix:what said in
        Alcotest.(check bool) said true ends
  in
  refused {|{"cores": 4, "domains": [[[0], [1], [2]]]}|}
    "no domain holds all cores: the largest has no core 3; add one whose \
     groups hold them all";
  refused {|{"cores": 4, "domains": []}|} "there is no domain";
  refused {|{"cores": 2, "domains": [[[0], [2]]]}|} "core 2 of 2";
  match read {|{"cores": 4, "domains": [[[0], [1]], [[0, 1], [2, 3]]]}|} with
  | Ok t -> Alcotest.(check int) "cores" 4 t.cores
  | Error said -> Alcotest.fail said

(* Settings unknown to the policy are reported, each once. *)
let settings () =
  let policy = policy "cfs_cwc" in
  let thread name settings =
    (0., { Workload.name; attached = false; settings; actions = Seq.empty })
  in
  let workload =
    {
      Workload.workload_name = "w";
      described = "";
      barriers = [];
      most_threads = 2;
      starts =
        [
          thread "a" [ ("nice", 1); ("nic", 3) ];
          thread "b" [ ("nic", 4); ("vruntime", 1) ];
        ];
    }
  in
  let unheard, told = Workload.unheard policy workload in
  Alcotest.(check (list (pair string string)))
    "unheard"
    [ ("nic", "a"); ("vruntime", "b") ]
    unheard;
  Alcotest.(check (list string)) "told" [ "nice" ] told

let () =
  let case name f = Alcotest.test_case name `Quick f in
  Alcotest.run "simulate"
    [
      ("policies", List.map (fun name -> case name (runs name)) policies);
      ( "160 cores",
        List.map
          (fun (name, topology) -> case name (large name topology))
          [
            ("ule_cwc", Topology.flat 160);
            ("fifo", Topology.flat 160);
            ("cfs_cwc", Topology.tree ~cores:160 20);
          ] );
      ("purposes", purposes);
      ( "engine",
        [
          case "deterministic" again;
          case "work conservation shows" conserving;
          case "a thread that waits for ever" dead;
        ] );
      ( "files",
        [
          case "traces" traces;
          case "machines" topologies;
          case "files of machines" machine_files;
          case "settings" settings;
        ] );
    ]
