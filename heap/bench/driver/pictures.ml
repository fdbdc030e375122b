open Bench_driver

let finite (_, x) = Float.is_finite x
let name (r : Row.t) = r.scheduler

let bars what title x_label bars =
  match List.filter finite bars with
  | [] -> []
  | bars -> [ (what, Plot.Bars { title; subtitle = ""; x_label; bars }) ]

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

let of_program (bench, (rows : Row.t list)) =
  let title = Printf.sprintf "%s, n = %d" bench (List.hd rows).n in
  let times =
    Option.map
      (fun chart -> (bench ^ "-times", Plot.Chart chart))
      (Plot.by_workers rows ~title ~subtitle:"median time")
  in
  let pause (r : Row.t) =
    (Printf.sprintf "%s (%d)" r.scheduler r.workers, Row.value r "max_pause_ms")
  in
  Option.to_list times
  @ bars (bench ^ "-pauses") title "longest pause (ms)"
      (List.map pause (on_processors rows))

let of_all rows =
  let values rows what =
    List.filter Float.is_finite (List.map (fun r -> Row.value r what) rows)
  in
  let each f =
    List.map
      (fun (n, rows) -> (n, f rows))
      (Stats.grouped name (on_processors rows))
  in
  let mean what = each (fun rows -> Stats.geomean (values rows what)) in
  let longest =
    each (fun rows ->
        match values rows "max_pause_ms" with [] -> nan | l -> Stats.most l)
  in
  let title = "The suite, geometric means" in
  bars "all-time" title "time over stock's" (mean "time_to_stock")
  @ bars "all-memory" title "peak memory over stock's" (mean "rss_to_stock")
  @ bars "all-pauses" "The suite" "longest pause (ms)" longest

let draw ~dir rows =
  let programs = Stats.grouped (fun (r : Row.t) -> r.bench) rows in
  Plot.write ~dir (List.concat_map of_program programs @ of_all rows)
