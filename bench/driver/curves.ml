let point ~x ~y r =
  match (x r, y r) with
  | Some x, Some y when Float.is_finite y -> Some (x, y)
  | _ -> None

let of_rows ?(level = fun _ -> []) rows ~x ~y =
  let points = function
    | [ r ] when level r <> [] ->
        List.filter_map (fun x -> point r ~x:(fun _ -> Some x) ~y) (level r)
    | rows -> List.sort compare (List.filter_map (point ~x ~y) rows)
  in
  Stats.grouped (fun (r : Row.t) -> r.scheduler) rows
  |> List.map (fun (name, rows) -> { Chart.name; points = points rows })
  |> List.filter (fun (c : Chart.curve) -> c.points <> [])

let workers (r : Row.t) = Some (float_of_int r.workers)
