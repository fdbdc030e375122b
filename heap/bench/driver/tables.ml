open Bench_driver

let percent x = Table.number 1 (100. *. x)
let mb bytes = bytes *. 1e-6

(* Only the tables of one program show more workers than cores. *)
let processors rows =
  let most l = List.fold_left max 1 l in
  let workers = Stats.distinct (fun (r : Row.t) -> r.workers) rows in
  match List.filter (fun w -> w <= Machine.cores) workers with
  | [] -> most workers
  | some -> most some

(* {1 One program} *)

let line (r : Row.t) =
  [ r.scheduler; string_of_int r.workers ]
  @
  match r.failure with
  | Some why -> [ why ]
  | None ->
      [
        Table.seconds r.median_s;
        Table.ratio (Row.value r "time_to_stock");
        Table.ratio (Row.value r "speedup_to_elision");
        Table.seconds r.cpu_s;
        Table.ratio (Row.value r "cpu_to_stock");
        Table.mib r.max_rss_kib;
        Table.ratio (Row.value r "rss_to_stock");
        Table.ratio (Row.value r "blowup");
        Table.number 2 (Row.value r "max_pause_ms");
        percent (Row.value r "gc_share");
        Table.number 3 (mb (Row.value r "entangled_bytes"));
      ]

let header =
  [
    "contestant"; "workers"; "s"; "/stock"; "Ts/T"; "cpu s"; "/stock"; "MiB"; "/stock"; "R/Rs";
    "pause ms"; "gc %"; "entangled MB";
  ]
[@@ocamlformat "disable"]

let program ppf rows =
  (match rows with
  | [] -> ()
  | (r : Row.t) :: _ -> Fmt.pf ppf "@.%s, n = %d@." r.bench r.n);
  Table.print_cells ppf ~left:1 (header :: List.map line rows);
  Table.print_disturbed ppf rows

(* {1 The paper's table} *)

(* Each column: its name, its digits, and its value from three rows: the elision's row,
   and the runtime's rows with one worker and on all processors. *)
let columns =
  let time (r : Row.t) = r.median_s and gib r = Ratios.rss r /. 1024. in
  [
    ("Ts", 3, fun s _ _ -> time s);
    ("T1", 3, fun _ one _ -> time one);
    ("T1/Ts", 2, fun s one _ -> time one /. time s);
    ("TP", 3, fun _ _ p -> time p);
    ("Ts/TP", 2, fun s _ p -> time s /. time p);
    ("Rs", 0, fun s _ _ -> gib s);
    ("R1", 0, fun _ one _ -> gib one);
    ("R1/Rs", 2, fun s one _ -> gib one /. gib s);
    ("RP", 0, fun _ _ p -> gib p);
    ("RP/Rs", 2, fun s _ p -> gib p /. gib s);
    ("pause ms", 2, fun _ _ p -> Row.value p "max_pause_ms");
    ("gc %", 1, fun _ _ p -> 100. *. Row.value p "gc_share");
    ("leaf %", 1, fun _ _ p -> 100. *. Row.value p "leaf_share");
    ("entangled MB", 3, fun _ _ p -> mb (Row.value p "entangled_bytes"));
  ]

let is_ratio name = String.contains name '/'

let runtime ppf rows name =
  let p = processors rows in
  let values bench =
    let find scheduler workers =
      List.find_opt
        (fun (r : Row.t) ->
          r.bench = bench && r.scheduler = scheduler && r.workers = workers)
        rows
    in
    match (find Contestants.elision 1, find name 1, find name p) with
    | Some s, Some one, Some p ->
        Some (bench, List.map (fun (_, _, value) -> value s one p) columns)
    | _ -> None
  in
  let lines =
    List.filter_map values (Stats.distinct (fun (r : Row.t) -> r.bench) rows)
  in
  let mean i (name, _, _) =
    let column = List.map (fun (_, values) -> List.nth values i) lines in
    if is_ratio name then
      Table.ratio (Stats.geomean (List.filter Float.is_finite column))
    else ""
  in
  if lines <> [] then (
    Fmt.pf ppf "@.%s, P = %d; seconds, MiB@." name p;
    let show (bench, values) =
      bench
      :: List.map2
           (fun (_, digits, _) v -> Table.number digits v)
           columns values
    in
    Table.print_cells ppf ~left:1
      (("program" :: List.map (fun (name, _, _) -> name) columns)
       :: List.map show lines
      @ [ "geomean" :: List.mapi mean columns ]))

let paper ppf rows =
  List.iter (runtime ppf rows) [ Contestants.stock; Contestants.variant ]

(* {1 All programs} *)

let means rows =
  let finite name =
    List.filter Float.is_finite (List.map (fun r -> Row.value r name) rows)
  in
  let mean name = Table.ratio (Stats.geomean (finite name)) in
  [
    string_of_int (List.length (finite "time_to_stock"));
    mean "time_to_stock";
    mean "cpu_to_stock";
    mean "rss_to_stock";
    mean "speedup_to_elision";
    mean "blowup";
    (match finite "max_pause_ms" with
    | [] -> "-"
    | l -> Table.number 2 (List.fold_left Float.max 0. l));
  ]

let group ppf title rows =
  let key (r : Row.t) = (r.scheduler, r.workers) in
  let line k =
    let name, workers = k in
    (name :: string_of_int workers
    :: means (List.filter (fun r -> key r = k) rows))
  in
  if rows <> [] then (
    Fmt.pf ppf "@.%s@." title;
    Table.print_cells ppf ~left:1
      ([
         "contestant"; "workers"; "programs"; "time/stock"; "cpu/stock"; "RSS/stock"; "Ts/T"; "R/Rs"; "longest pause ms";
       ]
      :: List.map line (Stats.distinct key rows)))
[@@ocamlformat "disable"]

let allocates (r : Row.t) =
  match Heap_suite.Programs.find r.bench with
  | Some p -> p.allocates
  | None -> false

let summary ppf rows =
  group ppf "Geometric means over the programs" rows;
  group ppf "The programs that allocate most" (List.filter allocates rows)
