let timed (r : Row.t) = Float.is_finite r.median_s && r.median_s > 0.
let distinct f rows = List.sort_uniq compare (List.map f rows)

let in_order f rows =
  List.fold_left
    (fun seen r -> if List.mem (f r) seen then seen else seen @ [ f r ])
    [] rows

let schedulers rows = in_order (fun (r : Row.t) -> r.scheduler) rows

(* A curve for each scheduler. [spread] turns the curve of a scheduler with a
   single point into a line: such a scheduler does not depend on [x]. *)
let curves rows ~x ~spread =
  let of_scheduler name =
    let mine = List.filter (fun (r : Row.t) -> r.scheduler = name) rows in
    let point (r : Row.t) = Option.map (fun x -> (x, r.median_s)) (x r) in
    let points =
      match (List.filter_map point mine, mine) with
      | [], [ r ] | [ _ ], [ r ] -> List.map (fun x -> (x, r.median_s)) spread
      | points, _ -> List.sort compare points
    in
    { Chart.name; points }
  in
  List.map of_scheduler (schedulers rows)
  |> List.filter (fun c -> c.Chart.points <> [])

let chosen (r : Row.t) =
  match r.cutoff with Some c when c > 0 -> Some (float_of_int c) | _ -> None

let workers (r : Row.t) = Some (float_of_int r.workers)
let title (suite : Suite.t) n = Printf.sprintf "%s, n = %d" suite.name n

let over_cutoffs (suite : Suite.t) n rows =
  let most = List.fold_left (fun m (r : Row.t) -> max m r.workers) 1 rows in
  let parallel name =
    List.exists (fun (r : Row.t) -> r.scheduler = name && r.workers > 1) rows
  in
  let shown (r : Row.t) =
    (r.workers = most || not (parallel r.scheduler)) && r.cutoff <> Some 0
  in
  let rows = List.filter shown rows in
  let spread = List.sort_uniq compare (List.filter_map chosen rows) in
  if List.length spread < 2 then None
  else
    Some
      {
        Chart.title = title suite n;
        subtitle =
          Printf.sprintf "%s; %d worker%s" suite.about most
            (if most = 1 then "" else "s");
        x_label = "cut-off (" ^ suite.cutoff_is ^ ")";
        y_label = "median time (s)";
        log = true;
        x_at_points = List.length spread <= 8;
        curves = curves rows ~x:chosen ~spread;
      }

(* The cut-off at which the slowest contestant does best: no contestant is shown
   at its worst. *)
let fair_cutoff rows =
  let worst c =
    List.fold_left
      (fun m (r : Row.t) -> if r.cutoff = c then Float.max m r.median_s else m)
      0. rows
  in
  let cutoffs =
    distinct (fun (r : Row.t) -> r.cutoff) rows |> List.filter Option.is_some
  in
  match cutoffs with
  | [] -> None
  | first :: rest ->
      List.fold_left (fun b c -> if worst c < worst b then c else b) first rest

let over_workers (suite : Suite.t) n rows =
  let cutoff = fair_cutoff rows in
  let shown (r : Row.t) = r.cutoff = cutoff || r.scheduler = "sequential" in
  let rows = List.filter shown rows in
  let spread =
    List.map float_of_int (distinct (fun (r : Row.t) -> r.workers) rows)
  in
  if List.length spread < 2 then None
  else
    Some
      {
        Chart.title = title suite n;
        subtitle =
          (suite.about
          ^
          match cutoff with
          | None -> ""
          | Some 0 -> "; chunks chosen by the schedulers"
          | Some c -> Printf.sprintf "; cut-off %d" c);
        x_label = "workers";
        y_label = "median time (s)";
        log = false;
        x_at_points = true;
        curves = curves rows ~x:workers ~spread;
      }

(* A chart of a figure of the rows, in place of their time. *)
let of_figure (suite : Suite.t) n rows ~figure ~y_label ~x ~x_label ~log =
  let point (r : Row.t) =
    match Row.figure r figure with
    | Some y when Float.is_finite y && ((not log) || y > 0.) -> Some (x r, y)
    | _ -> None
  in
  let curve name =
    let mine = List.filter (fun (r : Row.t) -> r.scheduler = name) rows in
    { Chart.name; points = List.sort compare (List.filter_map point mine) }
  in
  let curves = List.map curve (schedulers rows) in
  let curves = List.filter (fun c -> c.Chart.points <> []) curves in
  let xs = distinct fst (List.concat_map (fun c -> c.Chart.points) curves) in
  if List.length xs < 2 then None
  else
    Some
      {
        Chart.title = title suite n;
        subtitle = suite.about;
        x_label;
        y_label;
        log;
        x_at_points = true;
        curves;
      }

(* Charts of benchmarks that measure something other than time. *)
let special (suite : Suite.t) n rows =
  let chart what = Option.map (fun chart -> (what, chart)) in
  match suite.name with
  | "sched_periodic" ->
      let of_workers (r : Row.t) = float_of_int r.workers in
      Option.to_list
        (chart "lateness"
           (of_figure suite n rows ~figure:"p99_ms"
              ~y_label:"99th percentile of lateness (ms)" ~x:of_workers
              ~x_label:"vprocs" ~log:true))
  | "sched_forward" ->
      let depth (r : Row.t) = float_of_int (Option.value r.cutoff ~default:0) in
      Option.to_list
        (chart "actions"
           (of_figure suite n rows ~figure:"ns_each" ~y_label:"a yield (ns)"
              ~x:depth ~x_label:suite.cutoff_is ~log:false))
  | _ -> []

(* The cost of a fork without cut-off: the time on one worker, divided by the
   time of the same additions without forks. *)
let overheads (suite : Suite.t) n rows =
  let bar (r : Row.t) =
    match r.ratio_to_sequential with
    | Some ratio when r.workers = 1 && timed r -> Some (r.scheduler, ratio)
    | _ -> None
  in
  let bars = List.filter_map bar rows in
  let forks = List.mem suite.name [ "sched_fib"; "fib_nocutoff" ] in
  if (not forks) || List.length bars < 2 then None
  else
    Some
      {
        Bars.title = title suite n;
        subtitle = suite.about;
        x_label = "time on one worker over that of plain OCaml";
        bars;
      }

let rec make_directory dir =
  if not (Sys.file_exists dir) then (
    make_directory (Filename.dirname dir);
    Sys.mkdir dir 0o755)

let charts (suite : Suite.t) n rows =
  match suite.kind with
  | Load -> Plot_load.charts suite rows
  | Time | Probe ->
      let special = special suite n rows in
      let rows = List.filter timed rows in
      let named what = Option.map (fun chart -> (what, chart)) in
      special
      @ List.filter_map Fun.id
          [
            named "cutoffs" (over_cutoffs suite n rows);
            named "workers" (over_workers suite n rows);
          ]

let write ~dir charts =
  make_directory dir;
  let one (name, chart) =
    let file = Filename.concat dir (name ^ ".svg") in
    Chart.write file chart;
    file
  in
  List.map one charts

let draw ~dir rows =
  make_directory dir;
  let group (bench, n) =
    match Suite.find bench with
    | None -> []
    | Some suite ->
        let mine (r : Row.t) = r.bench = bench && r.n = n in
        let file what =
          Filename.concat dir (Printf.sprintf "%s-%d-%s.svg" bench n what)
        in
        let write write what drawing =
          write (file what) drawing;
          file what
        in
        let mine = List.filter mine rows in
        List.map
          (fun (what, chart) -> write Chart.write what chart)
          (charts suite n mine)
        @ Option.to_list
            (Option.map (write Bars.write "overheads") (overheads suite n mine))
  in
  List.concat_map group (in_order (fun (r : Row.t) -> (r.bench, r.n)) rows)
