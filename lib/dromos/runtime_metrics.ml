open Dromos_fiber

type stats = {
  accepted : int;
  refused : int;
  queued : int;
  running : int;
  finished : int;
  failed : int;
  cancelled : int;
  wait_sum : float;
  wait_max : float;
  run_sum : float;
  run_max : float;
  scheduler : Run.stats;
}

let seconds ns = float_of_int ns /. 1e9

let stats figures run =
  let f = Runtime_figures.read figures in
  {
    accepted = f.accepted;
    refused = f.refused;
    queued = f.queued;
    running = f.running;
    finished = f.finished;
    failed = f.failed;
    cancelled = f.cancelled;
    wait_sum = seconds f.wait_sum;
    wait_max = seconds f.wait_max;
    run_sum = seconds f.run_sum;
    run_max = seconds f.run_max;
    scheduler = Run.stats run;
  }

type source = {
  runtime : string;
  workers : int;
  queue : int option;
  now : stats;
}

(* {1 Metrics} *)

type kind = Counter | Gauge
type value = Nothing | Count of int | Seconds of float

type metric = {
  name : string; (* without the prefix; names of counters end in [_total] *)
  help : string; (* one line *)
  kind : kind;
  value : source -> value;
}

let metric kind name help value = { name; help; kind; value }

let count kind name help get =
  metric kind name help (fun source -> Count (get source.now))

let time kind name help get =
  metric kind name help (fun source -> Seconds (get source.now))

let scheduler name help get =
  count Counter name help (fun now -> get now.scheduler)

let metrics =
  [
    count Counter "tasks_accepted_total" "Tasks that were accepted." (fun s ->
        s.accepted);
    count Counter "tasks_refused_total"
      "Tasks that were not accepted: full queue, timeout, stopped." (fun s ->
        s.refused);
    count Counter "tasks_finished_total" "Tasks that returned a value."
      (fun s -> s.finished);
    count Counter "tasks_failed_total" "Tasks that raised an exception."
      (fun s -> s.failed);
    count Counter "tasks_cancelled_total" "Tasks that were cancelled." (fun s ->
        s.cancelled);
    count Gauge "tasks_queued" "Tasks that have not begun." (fun s -> s.queued);
    count Gauge "tasks_running" "Tasks that have begun and are not over."
      (fun s -> s.running);
    metric Gauge "queue_limit" "Greatest number of tasks in the queue."
      (fun { queue; _ } ->
        match queue with None -> Nothing | Some n -> Count n);
    metric Gauge "workers" "Greatest number of workers." (fun { workers; _ } ->
        Count workers);
    time Counter "wait_seconds_total" "Time from acceptance to begin." (fun s ->
        s.wait_sum);
    time Gauge "wait_seconds_max" "Longest time from acceptance to begin."
      (fun s -> s.wait_max);
    time Counter "run_seconds_total" "Time from begin to end, waits included."
      (fun s -> s.run_sum);
    time Gauge "run_seconds_max" "Longest time from begin to end." (fun s ->
        s.run_max);
    scheduler "kernel_tasks_total" "Pieces of fibers that workers ran."
      (fun s -> s.tasks);
    scheduler "promotions_total" "Forks that were published." (fun s ->
        s.promotions);
    scheduler "steals_total" "Pieces taken from another worker." (fun s ->
        s.steals);
    scheduler "suspensions_total" "Times a fiber waited." (fun s ->
        s.suspensions);
    scheduler "sleeps_total" "Times a worker went to sleep." (fun s -> s.sleeps);
    scheduler "minor_collections_total"
      "Minor collections of the process, each of which stops all domains."
      (fun s -> s.minor.collections);
    time Counter "minor_stopped_seconds_total"
      "Time in minor collections, or waiting for one to begin." (fun s ->
        s.scheduler.minor.stopped);
    count Gauge "domains" "Domains that all runs of the process share."
      (fun s -> s.scheduler.domains);
  ]

(* {1 Text} *)

let begins_name = function
  | 'a' .. 'z' | 'A' .. 'Z' | '_' | ':' -> true
  | _ -> false

let in_name c = begins_name c || match c with '0' .. '9' -> true | _ -> false

let check_prefix prefix =
  if
    prefix = ""
    || (not (begins_name prefix.[0]))
    || not (String.for_all in_name prefix)
  then
    invalid_arg
      (Printf.sprintf
         "Dromos.Runtime.to_prometheus: ~prefix:%S is not a metric's name: \
          letters, digits, _ and :, no digit first"
         prefix)

let add_escaped buffer = function
  | '\\' -> Buffer.add_string buffer "\\\\"
  | '"' -> Buffer.add_string buffer "\\\""
  | '\n' -> Buffer.add_string buffer "\\n"
  | c -> Buffer.add_char buffer c

let add_sample buffer name runtime value =
  Printf.bprintf buffer "%s{runtime=\"" name;
  String.iter (add_escaped buffer) runtime;
  Printf.bprintf buffer "\"} %s\n" value

let kind_name = function Counter -> "counter" | Gauge -> "gauge"

let add buffer ~prefix sources { name; help; kind; value } =
  let name = prefix ^ "_" ^ name in
  let sample source =
    match value source with
    | Nothing -> None
    | Count n -> Some (source.runtime, string_of_int n)
    | Seconds s -> Some (source.runtime, Printf.sprintf "%.9f" s)
  in
  match List.filter_map sample sources with
  | [] -> ()
  | samples ->
      Printf.bprintf buffer "# HELP %s %s\n# TYPE %s %s\n" name help name
        (kind_name kind);
      List.iter (fun (runtime, v) -> add_sample buffer name runtime v) samples

let rec check_names = function
  | a :: (b :: _ as rest) ->
      if String.equal a b then
        invalid_arg
          (Printf.sprintf
             "Dromos.Runtime.to_prometheus_all: two runtimes are called %S; \
              give each a ~name of its own"
             a);
      check_names rest
  | [ _ ] | [] -> ()

let print ~prefix sources =
  check_prefix prefix;
  check_names (List.sort String.compare (List.map (fun s -> s.runtime) sources));
  let buffer = Buffer.create 4096 in
  List.iter (add buffer ~prefix sources) metrics;
  Buffer.contents buffer
