open Bench_driver

let rss (r : Row.t) = Option.fold ~none:nan ~some:float_of_int r.max_rss_kib

let figures ~against names (row : Row.t) =
  match against with
  | None -> []
  | Some (other : Row.t) ->
      List.filter_map
        (fun (name, ratio) ->
          let x = ratio row other in
          if Float.is_finite x then Some (name, x) else None)
        names

let to_stock =
  [
    ("time_to_stock", fun (r : Row.t) (s : Row.t) -> r.median_s /. s.median_s);
    ("cpu_to_stock", fun r s -> r.cpu_s /. s.cpu_s);
    ("rss_to_stock", fun r s -> rss r /. rss s);
  ]

let to_elision =
  [
    ("overhead", fun (r : Row.t) (s : Row.t) -> r.median_s /. s.median_s);
    ("speedup_to_elision", fun r s -> s.median_s /. r.median_s);
    ("blowup", fun r s -> rss r /. rss s);
  ]

let add rows =
  let find name workers =
    List.find_opt
      (fun (r : Row.t) -> r.scheduler = name && r.workers = workers)
      rows
  in
  let elision = find Contestants.elision 1 in
  let complete (row : Row.t) =
    let stock = find Contestants.stock row.workers in
    let ours =
      figures ~against:stock to_stock row
      @ figures ~against:elision to_elision row
    in
    { row with figures = row.figures @ ours }
  in
  List.map complete rows
