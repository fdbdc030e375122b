let timed (r : Row.t) = Float.is_finite r.median_s && r.median_s > 0.

let chosen (r : Row.t) =
  match r.cutoff with Some c when c > 0 -> Some (float_of_int c) | _ -> None

let time (r : Row.t) = Some r.median_s
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
        curves = Curves.of_rows rows ~x:chosen ~y:time ~level:(fun _ -> spread);
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
    List.filter Option.is_some (List.map (fun (r : Row.t) -> r.cutoff) rows)
    |> List.sort_uniq compare
  in
  match cutoffs with
  | [] -> None
  | first :: rest ->
      List.fold_left (fun b c -> if worst c < worst b then c else b) first rest

(* A contestant that was measured with one worker alone is a level line. *)
let by_workers rows ~title ~subtitle =
  let counts = List.sort_uniq compare (List.filter_map Curves.workers rows) in
  let level (r : Row.t) = if r.workers = 1 then counts else [] in
  let curves = Curves.of_rows rows ~x:Curves.workers ~y:time ~level in
  if List.length counts < 2 || curves = [] then None
  else
    Some
      {
        Chart.title;
        subtitle;
        x_label = "workers";
        y_label = "median time (s)";
        log = false;
        x_at_points = true;
        curves;
      }

let over_workers (suite : Suite.t) n rows =
  let cutoff = fair_cutoff rows in
  let shown (r : Row.t) = r.cutoff = cutoff || r.scheduler = "sequential" in
  let chosen =
    match cutoff with
    | None -> ""
    | Some 0 -> "; chunks chosen by the schedulers"
    | Some c -> Printf.sprintf "; cut-off %d" c
  in
  by_workers (List.filter shown rows) ~title:(title suite n)
    ~subtitle:(suite.about ^ chosen)

(* A chart of a figure of the rows, in place of their time. *)
let of_figure (suite : Suite.t) n rows ~figure ~y_label ~x ~x_label ~log =
  let y r =
    match Row.figure r figure with
    | Some y when (not log) || y > 0. -> Some y
    | _ -> None
  in
  let curves = Curves.of_rows rows ~x:(fun r -> Some (x r)) ~y in
  let points = List.concat_map (fun c -> c.Chart.points) curves in
  let xs = List.sort_uniq compare (List.map fst points) in
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

type drawing = Chart of Chart.t | Bars of Bars.t

let write ~dir drawings =
  Folders.make dir;
  let one (name, drawing) =
    let file = Filename.concat dir (name ^ ".svg") in
    (match drawing with
    | Chart chart -> Chart.write file chart
    | Bars bars -> Bars.write file bars);
    file
  in
  List.map one drawings

let drawings rows =
  let of_group ((bench, n), rows) =
    let named (what, drawing) =
      (Printf.sprintf "%s-%d-%s" bench n what, drawing)
    in
    match Suite.find bench with
    | None -> []
    | Some suite ->
        let charts = charts suite n rows in
        let bars = Option.to_list (overheads suite n rows) in
        List.map (fun (what, chart) -> named (what, Chart chart)) charts
        @ List.map (fun bars -> named ("overheads", Bars bars)) bars
  in
  List.concat_map of_group
    (Stats.grouped (fun (r : Row.t) -> (r.bench, r.n)) rows)

let draw ~dir rows = write ~dir (drawings rows)
