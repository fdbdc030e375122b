type fit = { exponent : float; allowed : float }

let tolerance = 0.1
let from = 10_000

(* {1 Fits} *)

let fit points =
  let points = List.filter (fun (n, _) -> n >= from) points in
  if List.length points < 3 || List.exists (fun (_, y) -> not (y > 0.)) points
  then None
  else
    let on f = List.map (fun (n, y) -> (log (float_of_int n), f n y)) points in
    let n_log_n n _ = log (float_of_int n *. log (float_of_int n)) in
    Some
      {
        exponent = (Stats.fit (on (fun _ y -> log y))).slope;
        allowed = (Stats.fit (on n_log_n)).slope +. tolerance;
      }

let too_fast f = f.exponent > f.allowed

(* {1 Lines} *)

type line = {
  bench : string;
  scheduler : string;
  workers : int;
  times : (int * float) list;
  sizes : (int * float) list;
  time : fit option;
  memory : fit option;
  ended : (int * string) option;
}

(* Resident memory grows by whole heaps and stacks: a smaller growth says little
   about the items. *)
let least_bytes = 4. *. 1024. *. 1024.

let line (rows : Row.t list) =
  let rows =
    List.sort (fun (a : Row.t) (b : Row.t) -> Int.compare a.n b.n) rows
  in
  let first = List.hd rows in
  let done_ = List.filter (fun (r : Row.t) -> r.failure = None) rows in
  let times = List.map (fun (r : Row.t) -> (r.n, r.cpu_s)) done_ in
  let size (r : Row.t) =
    Option.map (fun kib -> (r.n, 1024. *. kib)) (Row.figure r "grown_kib")
  in
  let sizes = List.filter_map size done_ in
  let large = List.filter (fun (_, bytes) -> bytes >= least_bytes) sizes in
  {
    bench = first.bench;
    scheduler = first.scheduler;
    workers = first.workers;
    times;
    sizes;
    time = fit times;
    memory = fit large;
    ended =
      List.find_map
        (fun (r : Row.t) -> Option.map (fun why -> (r.n, why)) r.failure)
        rows;
  }

let of_growth (r : Row.t) =
  List.exists (fun (b : Suite.t) -> b.name = r.bench) Suite.growth

let lines rows =
  let key (r : Row.t) = (r.bench, r.scheduler, r.workers) in
  List.filter of_growth rows |> Stats.grouped key
  |> List.map (fun (_, rows) -> line rows)

let by_bench lines = Stats.grouped (fun l -> l.bench) lines

(* {1 The table} *)

let exponent = function
  | None -> "-"
  | Some f ->
      Printf.sprintf "%.2f%s" f.exponent (if too_fast f then " *" else "")

let each points n =
  match List.assoc_opt n points with
  | None -> "-"
  | Some y -> Printf.sprintf "%.0f" (y /. float_of_int n)

(* Three digits: 31.6k. *)
let count n =
  let n = float_of_int n in
  if n >= 1e6 then Printf.sprintf "%.3gM" (n /. 1e6)
  else if n >= 1e4 then Printf.sprintf "%.3gk" (n /. 1e3)
  else Printf.sprintf "%g" n

let print ppf lines =
  let table (bench, lines) =
    let all l = List.map fst l.times @ List.map fst (Option.to_list l.ended) in
    let ns = List.sort_uniq Int.compare (List.concat_map all lines) in
    let nanoseconds l = List.map (fun (n, s) -> (n, 1e9 *. s)) l.times in
    let cells l what points fit =
      [ l.scheduler; string_of_int l.workers; what ]
      @ List.map (each points) ns
      @ [ exponent fit ]
    in
    let of_line l =
      cells l "ns" (nanoseconds l) l.time
      :: [ cells l "bytes" l.sizes l.memory ]
    in
    let header =
      [ "scheduler"; "workers"; "each" ] @ List.map count ns @ [ "exponent" ]
    in
    Fmt.pf ppf "@.%s: %s@." bench (Suite.about bench);
    Table.print_cells ppf ~left:1 (header :: List.concat_map of_line lines);
    let ended l =
      Option.iter
        (fun (n, why) ->
          Fmt.pf ppf "  %s, %d worker%s, n = %d: %s@." l.scheduler l.workers
            (if l.workers = 1 then "" else "s")
            n why)
        l.ended
    in
    List.iter ended lines
  in
  List.iter table (by_bench lines);
  let too_fast l =
    List.exists too_fast (Option.to_list l.time @ Option.to_list l.memory)
  in
  if List.exists too_fast lines then
    Fmt.pf ppf
      "@.* grows faster than n log n: the exponent exceeds that of n log n \
       through the same points by more than %g.@."
      tolerance

(* {1 Charts} *)

let chart bench lines ~y_label ~points ~fit =
  let curve l =
    let exponent =
      match fit l with
      | None -> ""
      | Some f -> Printf.sprintf ", n^%.2f" f.exponent
    in
    {
      Chart.name = Printf.sprintf "%s, %d%s" l.scheduler l.workers exponent;
      points =
        List.filter_map
          (fun (n, y) -> if y > 0. then Some (float_of_int n, y) else None)
          (points l);
    }
  in
  let curves =
    List.filter (fun (c : Chart.curve) -> c.points <> []) (List.map curve lines)
  in
  if List.concat_map (fun (c : Chart.curve) -> c.points) curves = [] then None
  else
    Some
      {
        Chart.title = bench;
        subtitle = Suite.about bench ^ "; contestant, workers, exponent";
        x_label = "n";
        y_label;
        log = true;
        x_at_points = false;
        curves;
      }

let charts lines =
  let of_group (bench, lines) =
    let mib = List.map (fun (n, bytes) -> (n, bytes /. 1024. /. 1024.)) in
    let named what = Option.map (fun chart -> (bench ^ "-" ^ what, chart)) in
    List.filter_map Fun.id
      [
        named "time"
          (chart bench lines ~y_label:"processor time (s)"
             ~points:(fun l -> l.times)
             ~fit:(fun l -> l.time));
        named "memory"
          (chart bench lines ~y_label:"memory (MiB)"
             ~points:(fun l -> mib l.sizes)
             ~fit:(fun l -> l.memory));
      ]
  in
  List.concat_map of_group (by_bench lines)
