open Bench_driver

let bench = "stress"

(* The bench library measures over cut-offs. Here the cut-off is the percentage, and
   chooses the program. *)
let scheduler (c : Contestants.t) =
  let command ~bench:_ ~placement ~workers ~cutoff ~n =
    let bench = (Heap_suite.Stress.program cutoff).name in
    c.scheduler.command ~bench ~placement ~workers ~cutoff:0 ~n
  in
  { c.scheduler with base = ""; command; has = (fun name -> name = bench) }

let run (asked : Comparison.asked) ~percentages ~progress =
  let n = asked.size (Heap_suite.Stress.program 0) in
  Comparison.measure asked ~cutoff_is:"percent" ~name:bench
    ~about:"time against entanglement"
    { n; cutoffs = percentages }
    ~runs:asked.runs
    (List.map scheduler asked.contestants)
    ~progress

(* {1 Curves} *)

let percent (r : Row.t) = float_of_int (Option.value ~default:0 r.cutoff)

(* The rows of each contestant and number of workers, by percentage. *)
let curves rows =
  let name (r : Row.t) =
    Printf.sprintf "%s, %d worker%s" r.scheduler r.workers
      (if r.workers = 1 then "" else "s")
  in
  let by_percent a b = Float.compare (percent a) (percent b) in
  List.map
    (fun (name, rows) -> (name, List.sort by_percent rows))
    (Stats.grouped name rows)

(* Values relative to the first row, the row of the lowest percentage. *)
let relative f rows =
  match rows with
  | [] -> []
  | first :: _ ->
      List.filter
        (fun (_, y) -> Float.is_finite y)
        (List.map (fun r -> (percent r, f r /. f first)) rows)

(* The extra cost over OCaml's own runtime, in units of the own runtime's cost at the
   lowest percentage. The points are the percentages above zero, since a program without
   sharing has nothing to publish. Both runtimes pay for cache misses, so the difference
   leaves cache misses out. *)
let beyond f ~stock rows =
  let at p = List.find_opt (fun r -> percent r = p) stock in
  let point r =
    match (stock, at (percent r)) with
    | least :: _, Some s when percent r > 0. ->
        let y = (f r -. f s) /. f least in
        if Float.is_finite y then Some (percent r, y) else None
    | _ -> None
  in
  List.filter_map point rows

(* {1 Output} *)

let wall (r : Row.t) = r.median_s
let cpu (r : Row.t) = r.cpu_s
let header = [ "%"; "s"; "/ 0%"; "cpu s"; "/ 0%"; "MiB"; "entangled MB" ]

let cells rows =
  let first = List.hd rows in
  List.map
    (fun (r : Row.t) ->
      Printf.sprintf "%.0f" (percent r)
      ::
      (match r.failure with
      | Some why -> [ why ]
      | None ->
          [
            Table.seconds (wall r);
            Table.ratio (wall r /. wall first);
            Table.seconds (cpu r);
            Table.ratio (cpu r /. cpu first);
            Table.mib r.max_rss_kib;
            Table.number 1 (Tables.mb (Row.value r "entangled_bytes"));
          ]))
    rows

let print_line ppf what points =
  let l = Stats.fit points in
  if Float.is_finite l.slope then
    Fmt.pf ppf "  %s: %.2f, and %.2f more for each 10%%; R2 %.3f@." what
      l.at_zero (10. *. l.slope) l.explained

let print_beyond ppf what points =
  let l = Stats.fit points in
  if List.length points > 2 && Float.is_finite l.slope then
    Fmt.pf ppf
      "  %s beyond stock's: %.2f more for each 10%%, of stock's at 0%%; R2 \
       %.3f@."
      what (10. *. l.slope) l.explained

let print ppf rows =
  let curves = curves rows in
  let same_but_stock (row : Row.t) (_, rows) =
    let other : Row.t = List.hd rows in
    other.scheduler = Contestants.stock && other.workers = row.workers
  in
  let against_stock (first : Row.t) rows =
    match List.find_opt (same_but_stock first) curves with
    | Some (_, stock) when first.scheduler <> Contestants.stock ->
        print_beyond ppf "time" (beyond wall ~stock rows);
        print_beyond ppf "cpu" (beyond cpu ~stock rows)
    | Some _ | None -> ()
  in
  List.iter
    (fun (name, rows) ->
      let first = List.hd rows in
      Fmt.pf ppf "@.%s, %s, n = %d@." bench name first.Row.n;
      Table.print_cells ppf ~left:0 (header :: cells rows);
      print_line ppf "time" (relative wall rows);
      print_line ppf "cpu" (relative cpu rows);
      against_stock first rows)
    curves;
  Table.print_disturbed ppf rows

let chart rows title f : Chart.t =
  let curve (name, rows) = { Chart.name; points = relative f rows } in
  {
    title;
    subtitle = "beside the same program with nothing shared";
    x_label = "stores that are shared (%)";
    y_label = "T(x) / T(0)";
    log = false;
    x_at_points = true;
    curves =
      List.filter
        (fun (c : Chart.curve) -> c.points <> [])
        (List.map curve (curves rows));
  }

let draw ~dir rows =
  let drawing (name, title, f) =
    let chart = chart rows title f in
    if chart.curves = [] then None else Some (name, Plot.Chart chart)
  in
  Plot.write ~dir
    (List.filter_map drawing
       [
         ("stress-time", "Stress test: time", wall);
         ("stress-cpu", "Stress test: processor time", cpu);
       ])
