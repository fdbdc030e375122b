(* The figures that have a chart. The flag: small and large values are compared
   by ratio. *)
let drawn =
  [
    ("throughput", "right answers per second", false);
    ("p90_ms", "90% of the answers within (ms)", true);
    ("longest_ms", "longest gap (ms)", false);
  ]

let load (r : Row.t) =
  match r.cutoff with Some c when c > 0 -> Some (float_of_int c) | _ -> None

let curves ?level rows ~x ~figure =
  let y r =
    Option.bind (Row.figure r figure) (fun y -> if y > 0. then Some y else None)
  in
  Curves.of_rows ?level rows ~x ~y

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

let over_loads (suite : Suite.t) rows (figure, label, log) =
  let most = most_workers rows in
  let rows = with_most rows in
  let loads = List.filter_map load rows |> List.sort_uniq compare in
  if List.length loads < 2 then None
  else
    Some
      ( figure ^ "-loads",
        {
          Chart.title = suite.name;
          subtitle =
            Printf.sprintf "%s; %d worker%s" suite.about most (plural most);
          x_label = suite.cutoff_is;
          y_label = label;
          log;
          x_at_points = true;
          curves = curves rows ~x:load ~figure;
        } )

let over_workers (suite : Suite.t) rows (figure, label, log) =
  let greatest =
    List.fold_left (fun m (r : Row.t) -> max m r.cutoff) None rows
  in
  let rows = List.filter (fun (r : Row.t) -> r.cutoff = greatest) rows in
  let counts = List.sort_uniq compare (List.filter_map Curves.workers rows) in
  let level (r : Row.t) = if r.workers = 1 then counts else [] in
  if List.length counts < 2 then None
  else
    Some
      ( figure ^ "-workers",
        {
          Chart.title = suite.name;
          subtitle =
            (match greatest with
            | Some load ->
                Printf.sprintf "%s; %d %s" suite.about load suite.cutoff_is
            | None -> suite.about);
          x_label = "workers";
          y_label = label;
          log;
          x_at_points = true;
          curves = curves ~level rows ~x:Curves.workers ~figure;
        } )

let charts suite rows =
  let has (figure, _, _) =
    List.exists (fun r -> Row.figure r figure <> None) rows
  in
  let drawn = List.filter has drawn in
  List.filter_map (over_loads suite rows) drawn
  @ List.filter_map (over_workers suite rows) drawn
