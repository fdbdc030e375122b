open Bench_driver

type options = {
  size : int option;
  cutoffs : int list;
  seconds : float option;
  verdict : bool;
  growth : bool;
  commands : bool;
}

(* {1 Benchmarks and contestants} *)

let names = List.map (fun (b : Suite.t) -> b.name)
let of_growth = Suite.growth @ Suite.contention

let benchmark =
  Asked.named ~what:"benchmark"
    ~known:(names Suite.all @ [ "five" ] @ names of_growth)
    Suite.find

let chosen only =
  let expand name = if name = "five" then Suite.five else [ name ] in
  match only with
  | [] -> Suite.all
  | names -> List.map benchmark (List.concat_map expand names)

(* The schedulers named in [wanted], or all, in the order of [all]. *)
let schedulers all wanted =
  let name (s : Scheduler.t) = s.name in
  let known = List.map name all in
  let one n = List.find_opt (fun s -> name s = n) all in
  let named = Asked.named ~notes:Roster.missing ~what:"scheduler" ~known one in
  let wanted = List.map named wanted in
  if wanted = [] then all else List.filter (fun s -> List.memq s wanted) all

let missing = Roster.missing @ Servers.missing

let with_peers (asked : Asked.t) =
  let foreign, absent = if asked.all_peers then Foreign.lab () else ([], []) in
  (Scheduler.ours @ foreign, missing @ absent)

let list asked =
  let all, _ = with_peers asked in
  Fmt.pr "Benchmarks:@.";
  List.iter
    (fun (b : Suite.t) -> Fmt.pr "  %-15s %s@." b.name b.about)
    Suite.all;
  Fmt.pr "  %-15s %s@." "five" (String.concat ", " Suite.five);
  Fmt.pr "Benchmarks of --growth:@.";
  List.iter
    (fun (b : Suite.t) -> Fmt.pr "  %-17s %s@." b.name b.about)
    of_growth;
  Fmt.pr "Schedulers:@.";
  List.iter (fun (s : Scheduler.t) -> Fmt.pr "  %-20s %s@." s.name s.about) all

(* {1 The plan} *)

(* The benchmarks of [--growth], or those named by [--only]. *)
let growing only =
  let one (b : Suite.t) =
    if List.memq b of_growth then b
    else
      Fmt.failwith "%s is not one of --growth's: %s" b.name
        (String.concat ", " (names of_growth))
  in
  if only = [] then of_growth else List.map one (chosen only)

(* The benchmarks that [--only] names for [--verdict]. *)
let judged only =
  let one (b : Suite.t) =
    if List.memq b of_growth then
      Fmt.failwith
        "--verdict and --only %s do not combine: growth and contention have no \
         verdicts"
        b.name
    else if b.kind <> Time then
      Fmt.failwith
        "--verdict and --only %s do not combine: a benchmark without a time to \
         completion has no verdict"
        b.name
    else b
  in
  List.map one (chosen only)

(* The contestants and benchmarks of a verdict. *)
let compared all =
  let all =
    List.filter (fun (s : Scheduler.t) -> Rivals.take_part s.name) all
  in
  let ours =
    List.filter (fun (s : Scheduler.t) -> s.name <> Rivals.plain) all
  in
  let about (b : Suite.t) =
    b.kind = Time && List.exists (fun (s : Scheduler.t) -> s.has b.name) ours
  in
  (all, List.filter about Suite.all)

let sizes (asked : Asked.t) o (b : Suite.t) =
  let default = if asked.quick then b.quick else b.full in
  let default =
    match o.size with
    | None -> default
    | Some n -> [ { Suite.n; cutoffs = (List.hd default).cutoffs } ]
  in
  let cut (s : Suite.size) =
    if o.cutoffs <> [] && b.cutoff_is <> "" then { s with cutoffs = o.cutoffs }
    else s
  in
  (b, List.map cut default)

(* Refuses a choice that leaves nothing to measure. *)
let check_any schedulers benches =
  let has (b : Suite.t) =
    List.exists (fun (s : Scheduler.t) -> s.has b.name) schedulers
  in
  if not (List.exists has benches) then
    let schedulers = List.map (fun (s : Scheduler.t) -> s.name) schedulers in
    Fmt.failwith "nothing to measure: none of the contestants %s has %s%s"
      (String.concat ", " schedulers)
      (String.concat ", " (names benches))
      (String.concat "" (List.map (( ^ ) "\n") missing))

let runs (asked : Asked.t) o (b : Suite.t) =
  match (asked.runs, b.kind) with
  | Some runs, _ -> runs
  | None, Time when o.growth -> if asked.quick then 1 else 3
  | None, Time when o.verdict || not asked.quick -> Placement.count
  | None, Load when not asked.quick -> 3
  | None, (Time | Load | Probe) -> 1

let plan all (asked : Asked.t) o =
  let contestants, only = (asked.contestants, asked.only) in
  let schedulers, benches =
    match (o.verdict, contestants, only) with
    | true, [], [] -> compared all
    | true, [], only -> (fst (compared all), judged only)
    | true, names, [] -> (schedulers all names, snd (compared all))
    | true, names, only -> (schedulers all names, judged only)
    | false, names, only when o.growth -> (schedulers all names, growing only)
    | false, names, only -> (schedulers all names, chosen only)
  in
  check_any schedulers benches;
  {
    Runner.schedulers;
    benches = List.map (sizes asked o) benches;
    workers = Option.value asked.workers ~default:[ 1; 2 ];
    runs = runs asked o;
    limit = Option.value asked.limit ~default:20.;
    max_rss_mib = Option.value asked.max_rss_mib ~default:2048;
  }

let measure plan o progress =
  let report bench size rows =
    Progress_line.clear ();
    if rows <> [] && not (o.verdict || o.growth) then
      Table.print Fmt.stdout bench size rows
  in
  Runner.run plan ~progress ~report

(* {1 Results} *)

let wrong (r : Row.t) = r.failure = Some "WRONG RESULT"
let growth_plots = Filename.concat "_build" "growth"

let show_growth rows ~dir =
  let grown = Growth.lines rows and contended = Contention.lines rows in
  Growth.print Fmt.stdout grown;
  Contention.print Fmt.stdout contended;
  Table.print_disturbed Fmt.stdout rows;
  let charts = Growth.charts grown @ Contention.charts contended in
  let drawings = List.map (fun (name, c) -> (name, Plot.Chart c)) charts in
  Fmt.pr "Drew %d charts in %s@." (List.length (Plot.write ~dir drawings)) dir

(* Prints and writes the rows as the options ask. *)
let hand_over rows (asked : Asked.t) o =
  let lines = if o.verdict then Verdict.lines rows else [] in
  let beside =
    if o.verdict then [ ("verdicts", Verdict.to_json lines) ] else []
  in
  (* First of all: the reader of standard output may leave. *)
  Option.iter (fun file -> Row.write ~beside file rows) asked.json;
  if o.verdict then (
    Verdict.print Fmt.stdout lines;
    Table.print_disturbed Fmt.stdout rows);
  let plots dir =
    if o.growth then show_growth rows ~dir
    else Asked.wrote (Plot.draw ~dir rows)
  in
  Option.iter plots asked.plots;
  if List.exists wrong rows then failwith "a contestant's result is wrong"

let of_other bench = Option.is_none (Suite.find bench) && Suite_heap.has bench

let run (asked : Asked.t) o =
  if o.verdict && o.growth then
    failwith "--growth and --verdict do not combine: growth has no verdicts";
  Scheduler.load_seconds :=
    Option.value o.seconds ~default:(if asked.quick then 1. else 4.);
  if o.commands then
    let all, _ = with_peers asked in
    List.iter
      (fun command -> print_endline (String.concat " " command))
      (Runner.commands (plan all asked o))
  else
    let asked =
      if o.growth && asked.plots = None then
        { asked with plots = Some growth_plots }
      else asked
    in
    let prepare () =
      let all, missing = with_peers asked in
      (missing, measure (plan all asked o) o)
    in
    hand_over (Asked.rows asked ~of_other ~suite:"lab" prepare) asked o
