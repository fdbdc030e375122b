open Figures
open Dromos_policy_simulate

let times waits =
  let sorted = Summary.sorted waits in
  let at = Summary.percentile sorted in
  {
    count = Array.length sorted;
    p50 = at 0.5;
    p90 = at 0.9;
    p99 = at 0.99;
    longest = at 1.;
  }

let most n order items =
  List.filteri (fun i _ -> i < n) (List.stable_sort order items)

let of_schedule (trace : Trace.t) (s : Schedule.t) =
  let r = s.result and cores = s.cores in
  let f = Summary.of_result ~cores r in
  (* A wait that did not end in a run has an unknown end. *)
  let ran, others =
    List.partition (fun (w : Figures.wait) -> w.ran) (Summary.waits r)
  in
  let woken, preempted = List.partition (fun (w : Figures.wait) -> w.woken) ran
  and unfinished = List.filter (fun (w : Figures.wait) -> not w.over) others in
  let not_known =
    List.fold_left
      (fun sum -> function
        | Engine.Ran { thread; from; until; _ } when thread >= s.threads ->
            sum +. until -. from
        | _ -> sum)
      0. r.happenings
  in
  let of_threads a = Array.sub a 0 s.threads in
  let computed = of_threads r.computed
  and could = of_threads (Summary.runnable r) in
  let used =
    List.filter_map
      (fun i ->
        if could.(i) > 0. then
          Some { thread = r.names.(i); ran = computed.(i); could = could.(i) }
        else None)
      (List.init s.threads Fun.id)
  in
  let wastes = Occupancy.wastes ~cores r in
  let length (w : Occupancy.waste) = w.until -. w.from in
  let known = (r.finished *. float cores) -. not_known in
  {
    cores;
    events = Array.length trace.events;
    begins = s.begins;
    time = r.finished;
    not_known;
    busy =
      (if known <= 0. then 0. else Array.fold_left ( +. ) 0. computed /. known);
    idle_beside = f.idle_beside;
    wasted = f.wasted;
    wasted_while = f.wasted_while;
    wastes = List.length wastes;
    longest_wastes =
      most 5 (fun a b -> Float.compare (length b) (length a)) wastes;
    woken = times woken;
    preempted = times preempted;
    longest = Summary.longest (ran @ unfinished);
    still_waiting = List.length unfinished;
    migrations = f.migrations;
    moved = f.stolen;
    switches = f.switches;
    fairness = Summary.fairness computed could;
    used = List.stable_sort (fun a b -> Float.compare b.ran a.ran) used;
    wakeups_recorded = s.woken;
    lost = trace.lost;
    faulty = trace.faulty;
    missing = s.missing;
  }

let of_trace ?from ?until trace =
  of_schedule trace (Schedule.of_trace ?from ?until trace)

(* {1 For people and tools} *)

let time = Summary.pp_time
let shown_threads = 10

let pp_waste ~begins ppf (w : Occupancy.waste) =
  Fmt.pf ppf "%a of core %d from %a, core %d had %d threads" time
    (w.until -. w.from) w.core time (begins +. w.from) w.overloaded w.threads

let pp_wait ~begins ppf (w : Figures.wait) =
  Fmt.pf ppf "%a, of %s from %a%s" time w.lasted w.thread time
    (begins +. w.since)
    (if w.over then "" else ", and it still waits at the end")

let pp_used ppf u =
  Fmt.pf ppf "%s: ran %a of %a" u.thread time u.ran time u.could

(* Prints the name before the first item only. *)
let rows row name pp items =
  List.iteri (fun i x -> row (if i = 0 then name else "") pp x) items

let pp ppf t =
  let row name pp v = Fmt.pf ppf "  %-28s %a@." name pp v in
  let percent ppf x = Fmt.pf ppf "%.1f %%" (100. *. x) in
  let times ppf w =
    Fmt.pf ppf "p50 %a, p90 %a, p99 %a, longest %a (%d)" time w.p50 time w.p90
      time w.p99 time w.longest w.count
  in
  row "time" time t.time;
  row "cores busy" percent t.busy;
  if t.not_known > 0. then row "core time not known" time t.not_known;
  row "idle while another had two" time t.wasted_while;
  row "core time idle so" time t.idle_beside;
  row "usable idle time" time t.wasted;
  row "times a core idled so" Fmt.int t.wastes;
  rows row "the longest" (pp_waste ~begins:t.begins) t.longest_wastes;
  row "from waking to running" times t.woken;
  row "from preemption to running" times t.preempted;
  Option.iter (row "longest wait" (pp_wait ~begins:t.begins)) t.longest;
  if t.still_waiting > 0 then row "waiting at the end" Fmt.int t.still_waiting;
  row "migrations" Fmt.int t.migrations;
  row "ready threads moved" Fmt.int t.moved;
  row "context switches" Fmt.int t.switches;
  row "fairness (Jain)" (fun ppf -> Fmt.pf ppf "%.3f") t.fairness;
  row "threads" Fmt.int (List.length t.used);
  rows row "most time" pp_used
    (List.filteri (fun i _ -> i < shown_threads) t.used);
  if not t.wakeups_recorded then
    row "wake-ups" Fmt.string "not recorded: waits after them are not counted";
  if t.lost > 0 then row "events lost" Fmt.int t.lost;
  if t.faulty > 0 then row "lines not understood" Fmt.int t.faulty;
  if t.missing > 0 then row "switches not recorded" Fmt.int t.missing;
  row "affinity" Fmt.string
    "not in a trace: threads that may not run elsewhere count too"

let to_json t =
  let times w =
    `Assoc
      [
        ("count", `Int w.count);
        ("p50_us", `Float w.p50);
        ("p90_us", `Float w.p90);
        ("p99_us", `Float w.p99);
        ("max_us", `Float w.longest);
      ]
  and waste (w : Occupancy.waste) =
    `Assoc
      [
        ("core", `Int w.core);
        ("from_us", `Float (t.begins +. w.from));
        ("until_us", `Float (t.begins +. w.until));
        ("overloaded", `Int w.overloaded);
        ("threads", `Int w.threads);
      ]
  and used u =
    `Assoc
      [
        ("thread", `String u.thread);
        ("ran_us", `Float u.ran);
        ("could_us", `Float u.could);
      ]
  and wait (w : Figures.wait) =
    Summary.json_of_wait { w with since = t.begins +. w.since }
  in
  `Assoc
    [
      ("cores", `Int t.cores);
      ("events", `Int t.events);
      ("begins_us", `Float t.begins);
      ("time_us", `Float t.time);
      ("not_known_core_us", `Float t.not_known);
      ("busy", `Float t.busy);
      ("idle_beside_core_us", `Float t.idle_beside);
      ("wasted_core_us", `Float t.wasted);
      ("wasted_while_us", `Float t.wasted_while);
      ("wastes", `Int t.wastes);
      ("longest_wastes", `List (List.map waste t.longest_wastes));
      ("woken", times t.woken);
      ("preempted", times t.preempted);
      ("longest_wait", Option.fold ~none:`Null ~some:wait t.longest);
      ("still_waiting", `Int t.still_waiting);
      ("migrations", `Int t.migrations);
      ("moved", `Int t.moved);
      ("switches", `Int t.switches);
      ("fairness", `Float t.fairness);
      ("threads", `List (List.map used t.used));
      ("wakeups_recorded", `Bool t.wakeups_recorded);
      ("affinity_known", `Bool false);
      ("events_lost", `Int t.lost);
      ("faulty_lines", `Int t.faulty);
      ("switches_missing", `Int t.missing);
    ]
