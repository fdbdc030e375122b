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

let in_ms begins at = (begins +. at) /. 1e3

let spans ~ms ~cores ~kind r =
  List.map
    (fun (run : Occupancy.run) ->
      {
        Timeline.lane = run.on;
        start = ms run.since;
        stop = ms run.stopped;
        kind = kind run;
        text = r.names.(run.thread);
        notes = [];
      })
    (Occupancy.runs ~cores r)

let findings ~ms ~cores r =
  List.map
    (fun (w : Occupancy.waste) ->
      {
        Timeline.lane = w.core;
        start = ms w.from;
        stop = ms w.until;
        sort = Wrong;
        text =
          Printf.sprintf "idle, core %d has %d threads" w.overloaded w.threads;
      })
    (Occupancy.wastes ~cores r)

let arrows ~ms ~taken r =
  List.filter_map
    (function
      | Stolen { thread; from_core; to_core; at } ->
          Some
            {
              Timeline.from_lane = from_core;
              leaves = ms at;
              to_lane = to_core;
              arrives = ms at;
              text = r.names.(thread) ^ " " ^ taken;
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
              at = in_ms 0. at;
              kind = 2;
              text = Printf.sprintf "balancing, %d steps" steps;
            }
      | _ -> None)
    r.happenings

let facts ~policy ~workload ~cores r =
  let f = Summary.of_result ~cores r in
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
    ("usable idle time", time f.wasted);
    ("wait p99", time f.wait_p99);
    ("longest wait", Summary.longest_wait f);
    ("migrations", string_of_int f.migrations);
  ]

let meanings =
  [
    ( "idle while another had two",
      "time in which one core or more had no runnable thread, while another \
       had two or more: the red of all cores, laid over each other" );
    ( "core time idle so",
      "the red of all cores, added up; the share is of the time of all cores" );
    ( "usable idle time",
      "at each moment the lesser of two numbers: the cores that idled so, and \
       the threads that other cores had to spare" );
    ( "wait p99",
      "99 % of the waits of ready threads were as long as this or shorter" );
    ("longest wait", "the longest time that a ready thread waited until it ran");
    ("migrations", "runs on another core than the time before");
    ("cores busy", "the share of the time of all cores in which threads ran");
    ( "from waking to running",
      "how long threads waited that had been woken or were new" );
    ( "from preemption to running",
      "how long threads waited that had lost their core and could still run" );
    ( "affinity",
      "on which cores a thread may run: a thread that is bound to a core \
       counts as any other, so some red may be as it must be" );
    ( "core time not known",
      "grey: no event says what ran, or events were lost; it counts as neither \
       idle nor busy" );
  ]

let drawn ?(begins = 0.) ~title ~facts ~kinds ~kind ~taken ~cores r =
  let ms = in_ms begins in
  let levels = Occupancy.levels ~cores r in
  let point (at, n) = (ms at, n) in
  {
    (Timeline.empty ~title ~unit_name:"ms") with
    facts;
    meanings;
    lanes = Array.init cores (Printf.sprintf "core %d");
    kinds;
    spans = spans ~ms ~cores ~kind r;
    findings = findings ~ms ~cores r;
    findings_title = "idle while another core has two threads or more";
    arrows = arrows ~ms ~taken r;
    levels =
      List.mapi
        (fun lane points -> { Timeline.lane; points = List.map point points })
        (Array.to_list levels);
  }

let timeline ~policy ~workload ~cores r =
  let drawn =
    drawn
      ~title:(policy ^ ": " ^ workload)
      ~facts:(facts ~policy ~workload ~cores r)
      ~kinds
      ~kind:(fun run -> if run.Occupancy.moved then 1 else 0)
      ~taken:"is stolen" ~cores r
  in
  { drawn with marks = marks r }
