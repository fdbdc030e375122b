let ratio sequential (row : Row.t) =
  match sequential with
  | Some (s : Row.t) when Float.is_finite row.median_s ->
      { row with ratio_to_sequential = Some (row.median_s /. s.median_s) }
  | _ -> row

let speedup rows (row : Row.t) =
  let alone (other : Row.t) =
    other.scheduler = row.scheduler
    && other.cutoff = row.cutoff && other.workers = 1
    && Float.is_finite other.median_s
  in
  match List.find_opt alone rows with
  | Some one when row.workers > 1 && Float.is_finite row.median_s ->
      let over t = one.median_s /. t in
      let figures =
        [
          ("speedup", over row.median_s);
          ("speedup_best", over row.min_s);
          ("speedup_worst", over row.max_s);
        ]
      in
      { row with figures = row.figures @ figures }
  | _ -> row

let per_fork bench sequential (row : Row.t) =
  match (Suite.forks bench row.n, sequential) with
  | Some forks, Some (s : Row.t)
    when Float.is_finite row.median_s && row.scheduler <> s.scheduler ->
      let ns t = 1e9 *. (t -. s.median_s) /. float_of_int forks in
      let figures =
        [
          ("ns_per_fork", ns row.median_s);
          ("ns_per_fork_best", ns row.min_s);
          ("ns_per_fork_worst", ns row.max_s);
          ( "ns_per_fork_cpu",
            1e9 *. (row.cpu_s -. s.cpu_s) /. float_of_int forks );
        ]
      in
      let placements =
        List.filter_map
          (fun (seconds, name) ->
            Option.map (fun t -> (name, ns t)) (Row.figure row seconds))
          [
            ("best_placement_s", "ns_best_placement");
            ("worst_placement_s", "ns_worst_placement");
          ]
      in
      { row with figures = row.figures @ figures @ placements }
  | _ -> row

(* The time of each of the [n] operations of a structure. *)
let per_operation (bench : Suite.t) (row : Row.t) =
  if Suite.counts_operations bench && Float.is_finite row.median_s then
    let ns t = 1e9 *. t /. float_of_int row.n in
    let figures =
      [ ("ns_each", ns row.median_s); ("ns_least", ns row.min_s) ]
    in
    let per_handover =
      match Row.figure row "handed_over" with
      | Some share when share > 0. ->
          [ ("ns_per_handover", ns row.median_s /. share) ]
      | Some _ | None -> []
    in
    let per_second =
      if bench.name = "sched_switch" then
        [ ("switches_per_s", float_of_int row.n /. row.median_s) ]
      else []
    in
    { row with figures = row.figures @ figures @ per_handover @ per_second }
  else row

(* The cost of preemption: the time, beside the time of the same work without
   preemption. *)
let cost_of_preemption (bench : Suite.t) rows (row : Row.t) =
  let without (other : Row.t) =
    let scheduler = List.hd (String.split_on_char '-' row.scheduler) in
    other.scheduler = scheduler ^ "-none"
    && other.workers = row.workers
    && Float.is_finite other.median_s
  in
  match (bench.name, List.find_opt without rows) with
  | "preempt_cost", Some other when Float.is_finite row.median_s ->
      let figures =
        [
          ("to_none", row.median_s /. other.median_s);
          ("cpu_to_none", row.cpu_s /. other.cpu_s);
        ]
      in
      { row with figures = row.figures @ figures }
  | _ -> row

(* The cost of support for cancellation. *)
let cost_of_cancellation (bench : Suite.t) rows (row : Row.t) =
  let without (other : Row.t) =
    other.scheduler = "pval-ctx-uncancelled"
    && other.workers = row.workers
    && Float.is_finite other.median_s
  in
  match (bench.name, row.scheduler, List.find_opt without rows) with
  | "sched_fib", "pval-ctx", Some other when Float.is_finite row.median_s ->
      let figures = [ ("to_uncancelled", row.median_s /. other.median_s) ] in
      { row with figures = row.figures @ figures }
  | _ -> row

(* The time that each nested action adds to a yield. *)
let per_action (bench : Suite.t) rows (row : Row.t) =
  let bare (other : Row.t) =
    other.scheduler = row.scheduler
    && other.cutoff = Some 0
    && Float.is_finite other.median_s
  in
  match (bench.name, row.cutoff, List.find_opt bare rows) with
  | "sched_forward", Some depth, Some bare when depth > 0 ->
      let above = row.median_s -. bare.median_s in
      let ns = 1e9 *. above /. float_of_int (row.n * depth) in
      { row with figures = row.figures @ [ ("ns_per_action", ns) ] }
  | _ -> row

(* The ratio to the queue with condition variables of the same capacity; for a
   rendezvous, and for a structure without bound, the ratio to the smallest
   queue. *)
let against_conditions (bench : Suite.t) rows (row : Row.t) =
  if not (Suite.counts_operations bench && Float.is_finite row.median_s) then
    row
  else
    let capacity = Rivals.capacity row.scheduler in
    let rival (other : Row.t) =
      other.scheduler = "conditions-" ^ capacity
      && other.workers = row.workers
      && Float.is_finite other.median_s
    in
    let ratio =
      match List.find_opt rival rows with
      | None -> []
      | Some rival -> [ ("to_conditions", row.median_s /. rival.median_s) ]
    in
    { row with figures = row.figures @ ratio }

let add (bench : Suite.t) ~base rows =
  if bench.kind <> Suite.Time then rows
  else
    let find name =
      List.find_opt
        (fun (r : Row.t) -> r.scheduler = name && Float.is_finite r.median_s)
        rows
    in
    let complete (row : Row.t) =
      ratio (find "sequential") row
      |> per_fork bench (find (base row.scheduler))
      |> per_operation bench |> per_action bench rows
      |> cost_of_preemption bench rows
      |> cost_of_cancellation bench rows
      |> against_conditions bench rows
      |> speedup rows
    in
    List.map complete rows
