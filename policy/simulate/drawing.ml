open Dromos_trace
open Engine

let kinds =
  Timeline.
    [|
      { name = "runs"; colour = "#3b82c4"; means = "a thread computes" };
      {
        name = "runs elsewhere than before";
        colour = "#7b5ea7";
        means = "a thread computes, on another core than the last time";
      };
      {
        name = "balances";
        colour = "#d98a29";
        means = "the scheduler balances";
      };
    |]

let spans ~cores r =
  List.map
    (fun (run : Occupancy.run) ->
      {
        Timeline.lane = run.on;
        start = run.since /. 1e3;
        stop = run.stopped /. 1e3;
        kind = (if run.moved then 1 else 0);
        text = r.names.(run.thread);
        notes = [];
      })
    (Occupancy.runs ~cores r)

let findings ~cores r =
  List.map
    (fun (w : Occupancy.waste) ->
      {
        Timeline.lane = w.core;
        start = w.from /. 1e3;
        stop = w.until /. 1e3;
        sort = Wrong;
        text =
          Printf.sprintf "idle, core %d has %d threads" w.overloaded w.threads;
      })
    (Occupancy.wastes ~cores r)

let arrows r =
  List.filter_map
    (function
      | Stolen { thread; from_core; to_core; at } ->
          Some
            {
              Timeline.from_lane = from_core;
              leaves = at /. 1e3;
              to_lane = to_core;
              arrives = at /. 1e3;
              text = r.names.(thread) ^ " is stolen";
            }
      | _ -> None)
    r.happenings

let marks r =
  List.filter_map
    (function
      | Balanced { core; at; steps } ->
          Some
            {
              Timeline.lane = core;
              at = at /. 1e3;
              kind = 2;
              text = Printf.sprintf "balancing, %d steps" steps;
            }
      | _ -> None)
    r.happenings

let facts ~policy ~workload ~cores r =
  let f = Figures.of_result ~cores r in
  let time us = Printf.sprintf "%.2f ms" (us /. 1e3) in
  let share us = 100. *. us /. Float.max 1. (f.time *. float cores) in
  [
    ("policy", policy);
    ("workload", workload);
    ("time", time f.time);
    ("idle while another had two", time f.wasted_while);
    ( "core time idle so",
      Printf.sprintf "%s (%.2f %% of all)" (time f.idle_beside)
        (share f.idle_beside) );
    ("of it could be used", time f.wasted);
    ("wait p99", time f.wait_p99);
    ("longest wait", Figures.longest_wait f);
    ("migrations", string_of_int f.migrations);
  ]

let timeline ~policy ~workload ~cores r =
  let levels = Occupancy.levels ~cores r in
  let in_ms (at, n) = (at /. 1e3, n) in
  {
    (Timeline.empty ~title:(policy ^ ": " ^ workload) ~unit_name:"ms") with
    facts = facts ~policy ~workload ~cores r;
    lanes = Array.init cores (Printf.sprintf "core %d");
    kinds;
    spans = spans ~cores r;
    findings = findings ~cores r;
    findings_title = "idle while another core has two threads or more";
    marks = marks r;
    arrows = arrows r;
    levels =
      List.mapi
        (fun lane points -> { Timeline.lane; points = List.map in_ms points })
        (Array.to_list levels);
  }
