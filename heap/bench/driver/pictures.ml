open Bench_driver

let figure = Tables.figure
let finite (_, x) = Float.is_finite x

let curve rows name =
  let points =
    List.filter_map
      (fun (r : Row.t) ->
        if r.scheduler = name && Float.is_finite r.median_s then
          Some (float_of_int r.workers, r.median_s)
        else None)
      rows
  in
  { Chart.name; points = List.sort compare points }

(* The elision has the same time for any number of workers. *)
let level workers (c : Chart.curve) =
  match c.points with
  | [ (1., seconds) ] ->
      { c with points = List.map (fun w -> (float_of_int w, seconds)) workers }
  | _ -> c

let names rows = Tables.distinct (fun (r : Row.t) -> r.scheduler) rows

let times file title rows =
  let workers =
    List.sort_uniq compare (List.map (fun (r : Row.t) -> r.workers) rows)
  in
  let curves = List.map (fun n -> level workers (curve rows n)) (names rows) in
  let curves = List.filter (fun (c : Chart.curve) -> c.points <> []) curves in
  if List.length workers < 2 || curves = [] then []
  else (
    Chart.write file
      {
        title;
        subtitle = "median time";
        x_label = "workers";
        y_label = "seconds";
        log = false;
        x_at_points = true;
        curves;
      };
    [ file ])

let bars file title x_label bars =
  match List.filter finite bars with
  | [] -> []
  | bars ->
      Bars.write file { title; subtitle = ""; x_label; bars };
      [ file ]

let on_processors rows =
  let p = Tables.processors rows in
  List.filter
    (fun (r : Row.t) ->
      r.workers = p
      || not
           (List.exists
              (fun (o : Row.t) -> o.scheduler = r.scheduler && o.workers = p)
              rows))
    rows

let of_program dir rows bench =
  let mine = List.filter (fun (r : Row.t) -> r.bench = bench) rows in
  let file what = Filename.concat dir (Printf.sprintf "%s-%s.svg" bench what) in
  let pause (r : Row.t) =
    (Printf.sprintf "%s (%d)" r.scheduler r.workers, figure r "max_pause_ms")
  in
  let title =
    match mine with
    | [] -> bench
    | r :: _ -> Printf.sprintf "%s, n = %d" bench r.n
  in
  times (file "times") title mine
  @ bars (file "pauses") title "longest pause (ms)"
      (List.map pause (on_processors mine))

let of_all dir rows =
  let rows = on_processors rows in
  let values name what =
    List.filter Float.is_finite
      (List.filter_map
         (fun (r : Row.t) ->
           if r.scheduler = name then Some (figure r what) else None)
         rows)
  in
  let each f = List.map (fun name -> (name, f name)) (names rows) in
  let mean what = each (fun name -> Ratios.geomean (values name what)) in
  let longest =
    each (fun name ->
        match values name "max_pause_ms" with [] -> nan | l -> Stats.most l)
  in
  let file what = Filename.concat dir ("all-" ^ what ^ ".svg") in
  let title = "The suite, geometric means" in
  bars (file "time") title "time over stock's" (mean "time_to_stock")
  @ bars (file "memory") title "peak memory over stock's" (mean "rss_to_stock")
  @ bars (file "pauses") "The suite" "longest pause (ms)" longest

let rec make_directory dir =
  if not (Sys.file_exists dir) then (
    make_directory (Filename.dirname dir);
    Sys.mkdir dir 0o755)

let draw ~dir rows =
  make_directory dir;
  let benches = Tables.distinct (fun (r : Row.t) -> r.bench) rows in
  List.concat_map (of_program dir rows) benches @ of_all dir rows
