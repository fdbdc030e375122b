(* The figures that have a chart: name, label of the axis, and [true] for a
   logarithmic axis. *)
let drawn =
  [
    ("throughput", "right answers per second", false);
    ("p90_ms", "90% of the answers within (ms)", true);
    ("longest_ms", "longest gap (ms)", false);
  ]

let load (r : Row.t) =
  match r.cutoff with Some c when c > 0 -> Some (float_of_int c) | _ -> None

let most_workers rows =
  List.fold_left (fun m (r : Row.t) -> Int.max m r.workers) 1 rows

(* Rows with the most workers. Servers that do not depend on the number of
   workers have rows with one. *)
let with_most rows =
  let most = most_workers rows in
  let fixed name =
    List.for_all (fun (r : Row.t) -> r.scheduler <> name || r.workers = 1) rows
  in
  List.filter (fun (r : Row.t) -> r.workers = most || fixed r.scheduler) rows

let plural n = if n = 1 then "" else "s"

(* A chart over the places [x] of the rows. With [level], servers that were
   measured with one worker alone are level lines. *)
let chart (suite : Suite.t) rows ~level ~x ~x_label ~along ~subtitle
    (figure, y_label, log) =
  let places = List.sort_uniq compare (List.filter_map x rows) in
  let y r =
    match Row.figure r figure with Some y when y > 0. -> Some y | _ -> None
  in
  let level (r : Row.t) = if level && r.workers = 1 then places else [] in
  if List.length places < 2 then None
  else
    Some
      ( figure ^ along,
        {
          Chart.title = suite.name;
          subtitle = suite.about ^ subtitle;
          x_label;
          y_label;
          log;
          x_at_points = true;
          curves = Curves.of_rows rows ~level ~x ~y;
        } )

let over_loads (suite : Suite.t) rows =
  let most = most_workers rows in
  chart suite (with_most rows) ~level:false ~x:load ~x_label:suite.cutoff_is
    ~along:"-loads"
    ~subtitle:(Printf.sprintf "; %d worker%s" most (plural most))

let over_workers (suite : Suite.t) rows =
  let greatest =
    List.fold_left (fun m (r : Row.t) -> max m r.cutoff) None rows
  in
  let rows = List.filter (fun (r : Row.t) -> r.cutoff = greatest) rows in
  let load = Printf.sprintf "; %d %s" in
  chart suite rows ~level:true ~x:Curves.workers ~x_label:"workers"
    ~along:"-workers"
    ~subtitle:
      (Option.fold greatest ~none:"" ~some:(fun n -> load n suite.cutoff_is))

let charts suite rows =
  let has (figure, _, _) =
    List.exists (fun r -> Row.figure r figure <> None) rows
  in
  let drawn = List.filter has drawn in
  List.filter_map (over_loads suite rows) drawn
  @ List.filter_map (over_workers suite rows) drawn
