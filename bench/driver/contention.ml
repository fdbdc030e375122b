type line = {
  bench : string;
  scheduler : string;
  workers : int;
  throughput : (int * float) list;
  to_one : float option;
  to_two : float option;
  ended : (int * string) option;
}

let least = 0.5

(* {1 Lines} *)

let tasks (r : Row.t) = Option.value r.cutoff ~default:0
let seconds (r : Row.t) = if r.workers = 1 then r.cpu_s else r.min_s

(* The least throughput of [tasks] tasks and more, divided by the throughput of
   [tasks] tasks. *)
let fall throughput tasks =
  match List.filter (fun (t, _) -> t >= tasks) throughput with
  | (t, first) :: rest when t = tasks ->
      Some (List.fold_left (fun m (_, x) -> Float.min m x) first rest /. first)
  | _ -> None

let line (rows : Row.t list) =
  let rows = List.sort (fun a b -> Int.compare (tasks a) (tasks b)) rows in
  let first = List.hd rows in
  let rate (r : Row.t) =
    if r.failure = None then Some (tasks r, float_of_int r.n /. seconds r)
    else None
  in
  let throughput = List.filter_map rate rows in
  {
    bench = first.bench;
    scheduler = first.scheduler;
    workers = first.workers;
    throughput;
    to_one = fall throughput 1;
    to_two = fall throughput 2;
    ended =
      List.find_map
        (fun (r : Row.t) -> Option.map (fun why -> (tasks r, why)) r.failure)
        rows;
  }

let of_contention (r : Row.t) =
  List.exists (fun (b : Suite.t) -> b.name = r.bench) Suite.contention

let lines rows =
  let key (r : Row.t) = (r.bench, r.scheduler, r.workers) in
  List.filter of_contention rows
  |> Stats.grouped key
  |> List.map (fun (_, rows) -> line rows)

let by_bench lines = Stats.grouped (fun l -> l.bench) lines

(* {1 The table} *)

let ratio = function
  | None -> "-"
  | Some x -> Printf.sprintf "%.2f%s" x (if x < least then " *" else "")

let table ppf (bench, lines) =
  let counts =
    List.sort_uniq Int.compare
      (List.concat_map (fun l -> List.map fst l.throughput) lines)
  in
  let rate l count =
    match List.assoc_opt count l.throughput with
    | None -> "-"
    | Some x -> Printf.sprintf "%.2f" (x /. 1e6)
  in
  let cells l =
    [ l.scheduler; string_of_int l.workers ]
    @ List.map (rate l) counts
    @ [ ratio l.to_one; ratio l.to_two ]
  in
  let header =
    [ "scheduler"; "workers" ]
    @ List.map string_of_int counts
    @ [ "to 1"; "to 2" ]
  in
  Fmt.pf ppf "@.%s: %s; million operations a second by tasks@." bench
    (Suite.about bench);
  Table.print_cells ppf ~left:1 (header :: List.map cells lines);
  let ended l =
    Option.iter
      (fun (count, why) ->
        Fmt.pf ppf "  %s, workers %d, %d tasks: %s@." l.scheduler l.workers
          count why)
      l.ended
  in
  List.iter ended lines

let print ppf lines =
  List.iter (table ppf) (by_bench lines);
  let low = function Some x -> x < least | None -> false in
  if List.exists (fun l -> low l.to_one || low l.to_two) lines then
    Fmt.pf ppf
      "@.* the least throughput is under a half of that of one task, of two \
       tasks.@."

(* {1 Charts} *)

let charts lines =
  let curve l =
    {
      Chart.name = Printf.sprintf "%s, %d" l.scheduler l.workers;
      points = List.map (fun (t, x) -> (float_of_int t, x /. 1e6)) l.throughput;
    }
  in
  let chart (bench, lines) =
    let curves = List.map curve lines in
    let curves = List.filter (fun (c : Chart.curve) -> c.points <> []) curves in
    if curves = [] then None
    else
      Some
        ( bench ^ "-throughput",
          {
            Chart.title = bench;
            subtitle = Suite.about bench ^ "; contestant, workers";
            x_label = "tasks";
            y_label = "million operations a second";
            log = true;
            x_at_points = true;
            curves;
          } )
  in
  List.filter_map chart (by_bench lines)
