(* The page of a simulation agrees with the simulation: its red spans are the
   waste, computed here from the number of threads of each core. *)

open Dromos_policy_semantics
open Dromos_policy_simulate
module Elaborate = Dromos_policy_elaborate.Elaborate
module Timeline = Dromos_trace.Timeline

let policy name =
  match Elaborate.file (Printf.sprintf "../../policies/%s.policy" name) with
  | Ok { policy; _ } -> policy
  | Error _ -> Alcotest.failf "%s is refused" name

let cores = 8

let simulated ?(load = 1.5) name kind =
  match Workload.synthetic ~load ~length:0.3 ~seed:1 ~cores kind with
  | Error text -> Alcotest.fail text
  | Ok w -> Engine.run (policy name) (Topology.flat cores) w

let timeline name kind r = Drawing.timeline ~policy:name ~workload:kind ~cores r

(* {1 Waste, computed from the drawing's levels} *)

let level points t =
  List.fold_left (fun n (at, now) -> if at <= t then now else n) 0 points

(* The spans of each lane, in milliseconds as on the page, in which the lane has
   no thread while another has two. Computed at the middle of each span without
   a change. *)
let reckoned (t : Timeline.t) finished =
  let of_lane lane =
    List.concat_map
      (fun (l : Timeline.level) -> if l.lane = lane then l.points else [])
      t.levels
  in
  let lanes = Array.init cores of_lane in
  let times =
    List.sort_uniq Float.compare
      (finished :: List.concat_map (List.map fst) (Array.to_list lanes))
  in
  let wastes c t =
    level lanes.(c) t = 0
    && Array.exists (fun points -> level points t >= 2) lanes
  in
  let rec spans c since found = function
    | from :: (until :: _ as rest) ->
        let wasted = wastes c ((from +. until) /. 2.) in
        let since = if wasted && since = None then Some from else since in
        if wasted then spans c since found rest
        else
          let found =
            match since with None -> found | Some s -> (c, s, from) :: found
          in
          spans c None found rest
    | [ last ] -> (
        match since with None -> found | Some s -> (c, s, last) :: found)
    | [] -> found
  in
  List.sort compare
    (List.concat_map (fun c -> spans c None [] times) (List.init cores Fun.id))

let found (t : Timeline.t) =
  List.sort compare
    (List.map
       (fun (f : Timeline.finding) -> (f.lane, f.start, f.stop))
       t.findings)

let red_is_waste name kind () =
  let r = simulated name kind in
  let t = timeline name kind r in
  let expected = reckoned t (r.finished /. 1e3) and drawn = found t in
  if expected = [] then Alcotest.failf "%s wastes nothing: a useless test" name;
  Alcotest.(check (list (triple int (float 1e-6) (float 1e-6))))
    "core, from, until" expected drawn;
  let sum = List.fold_left (fun sum (_, a, b) -> sum +. b -. a) 0. drawn in
  let f = Summary.of_result ~cores r in
  Alcotest.(check (float 1e-3)) "the figure" f.idle_beside (1e3 *. sum);
  if f.wasted > f.idle_beside +. 1e-6 || f.wasted_while > f.idle_beside +. 1e-6
  then Alcotest.failf "more than there is:@.%a" Summary.pp f;
  List.iter
    (fun (w : Occupancy.waste) ->
      if w.threads < 2 || w.overloaded = w.core then
        Alcotest.failf "core %d is idle beside core %d, which has %d" w.core
          w.overloaded w.threads)
    (Occupancy.wastes ~cores r)

(* In simulated time no handler is interrupted, so no steal of [give_up] fails:
   only the model checker can find its fault. *)
let nothing_red name () =
  List.iter
    (fun (kind, _) ->
      let t = timeline name kind (simulated name kind) in
      Alcotest.(check int) kind 0 (List.length t.findings))
    Workload.names

(* A core that becomes idle looks for work at once. A core that was idle already
   gets work at the next periodic balancing. *)
let conserving name () =
  List.iter
    (fun (kind, _) ->
      List.iter
        (fun load ->
          let r = simulated ~load name kind in
          List.iter
            (fun (w : Occupancy.waste) ->
              if w.until -. w.from > Engine.usual.balance then
                Alcotest.failf "%s, %s: core %d idles from %f to %f" name kind
                  w.core w.from w.until)
            (Occupancy.wastes ~cores r))
        [ 0.8; 1.; 1.5; 3. ])
    Workload.names

(* Ticks cut a run into pieces. The page shows the whole run, with the name of
   its thread. *)
let merged () =
  let r = simulated "threshold3" "nas" in
  let ran = function
    | Engine.Ran { from; until; _ } -> until -. from
    | _ -> 0.
  in
  let pieces = List.filter (fun h -> ran h > 0.) r.happenings in
  let runs = Occupancy.runs ~cores r in
  let sum f l = List.fold_left (fun s x -> s +. f x) 0. l in
  Alcotest.(check (float 1e-3))
    "the same time" (sum ran pieces)
    (sum (fun (run : Occupancy.run) -> run.stopped -. run.since) runs);
  if List.length runs >= List.length pieces then
    Alcotest.failf "%d pieces, %d runs" (List.length pieces) (List.length runs)

(* {1 In a browser} *)

let count_red =
  "const c = document.getElementById('chart'), d = c.getContext('2d')\n\
   .getImageData(0, 0, c.width, c.height).data; let red = 0;\n\
   for (let i = 0; i < d.length; i += 4)\n\
  \  if (d[i] > 180 && d[i + 1] < 60 && d[i + 2] < 80) red++;\n\
   document.body.dataset.red = red;"

let red_pixels browser name kind =
  let r = simulated name kind in
  let page = Timeline.to_html (timeline name kind r) in
  let dom = Browser.rendered browser ~script:count_red page in
  let number field = int_of_string (Browser.data dom field) in
  Alcotest.(check int)
    "listed"
    (List.length (Occupancy.wastes ~cores r))
    (number "findings");
  Alcotest.(check int) "in sight" (number "findings") (number "marked");
  number "red"

let drawn_red browser () =
  List.iter
    (fun name ->
      if red_pixels browser name "nas" < 100 then
        Alcotest.failf "%s: nothing is red" name)
    [ "threshold3"; "imbalance" ];
  Alcotest.(check int)
    "nothing wasted, nothing red" 0
    (red_pixels browser "ule_cwc" "nas")

let () =
  let case name f = Alcotest.test_case name `Quick f in
  Alcotest.run "page"
    ([
       ( "red",
         [
           case "threshold3, nas" (red_is_waste "threshold3" "nas");
           case "threshold3, burst" (red_is_waste "threshold3" "burst");
           case "imbalance, mixed" (red_is_waste "imbalance" "mixed");
           case "give_up, whose thieves are alone here" (nothing_red "give_up");
         ] );
       ( "work conserving",
         List.map
           (fun name -> case name (conserving name))
           [ "ule_cwc"; "cfs_cwc_flat"; "fifo"; "work_stealing" ] );
       ("runs", [ case "merged" merged ]);
     ]
    @ Browser.cases (fun browser -> [ case "red" (drawn_red browser) ]))
