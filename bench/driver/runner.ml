type plan = {
  schedulers : Scheduler.t list;
  benches : (Suite.t * Suite.size list) list;
  workers : int list;
  runs : Suite.t -> int;
  limit : float;
  max_rss_mib : int;
}

type progress = done_:int -> of_:int -> string -> unit

type sample = {
  seconds : float;
  cpu : float;
  rss_kib : int option;
  checksum : int option;
  figures : (string * float) list;
  placement : int;  (** the number of the program in which the sample ran *)
  disturbed : bool;
      (** other programs needed a core that the sample needed too *)
}

(* A measurement that is repeated [runs] times. *)
type cell = {
  scheduler : Scheduler.t;
  workers : int;
  cutoff : int;
  placements : int;
      (** the number of programs over which the runs are spread *)
  mutable samples : sample list;
  mutable failure : string option;
  mutable skip : bool;  (** the contestant does not have the benchmark *)
}

let cell (bench : Suite.t) (scheduler : Scheduler.t) workers cutoff =
  {
    scheduler;
    workers;
    cutoff;
    placements =
      (if scheduler.placed && bench.kind = Time then Placement.count else 1);
    samples = [];
    failure = None;
    skip = false;
  }

let is_plain (s : Scheduler.t) = s.name = s.base

(* A scheduler with one worker only has one cell for each cut-off; a plain
   program, which has no cut-off, has a single cell. Most probes measure idle
   workers: such a probe runs only with the most workers. *)
let cells (plan : plan) (bench : Suite.t) (size : Suite.size) =
  let workers =
    if bench.every_workers then plan.workers
    else [ List.fold_left max 1 plan.workers ]
  in
  let of_scheduler (s : Scheduler.t) cutoff =
    if not (s.has bench.name) then []
    else if s.parallel then List.map (fun w -> cell bench s w cutoff) workers
    else [ cell bench s 1 cutoff ]
  in
  let plain, others = List.partition is_plain plan.schedulers in
  List.concat_map (fun s -> of_scheduler s 0) plain
  @ List.concat_map
      (fun cutoff -> List.concat_map (fun s -> of_scheduler s cutoff) others)
      size.cutoffs

(* A number, or the numbers of several runs in one process. The first run has
   warmed the process up; the result is the median of the later runs. *)
let number_or_runs : Yojson.Safe.t -> float option = function
  | `List [ one ] -> Yojson.Safe.Util.to_number_option one
  | `List (_ :: runs) ->
      Some (Stats.median (List.map Yojson.Safe.Util.to_number runs))
  | json -> Yojson.Safe.Util.to_number_option json

let parse text ~max_rss_kib ~placement ~disturbed =
  let open Yojson.Safe.Util in
  let json = Yojson.Safe.from_string text in
  let float name default =
    Option.value ~default (number_or_runs (member name json))
  in
  let figures =
    match member "figures" json with
    | `Assoc l -> List.map (fun (k, v) -> (k, to_number v)) l
    | _ -> []
  in
  if member "unsupported" json = `Bool true then None
  else
    let rss = to_int_option (member "max_rss_kib" json) in
    Some
      {
        seconds = float "seconds" nan;
        cpu = float "cpu_s" nan;
        rss_kib = Some (Option.value ~default:max_rss_kib rss);
        checksum = to_int_option (member "checksum" json);
        figures;
        placement;
        disturbed;
      }

let command (bench : Suite.t) n c placement =
  c.scheduler.command ~bench:bench.name ~placement ~workers:c.workers
    ~cutoff:c.cutoff ~n

let measure (plan : plan) (bench : Suite.t) n c placement =
  match
    Process.run ~limit:plan.limit ~max_rss_mib:plan.max_rss_mib
      (command bench n c placement)
  with
  | Failed why -> c.failure <- Some why
  | Output { text; max_rss_kib; others } -> (
      let cores = float_of_int Machine.cores in
      let needed =
        match bench.kind with
        | Time | Probe -> Float.min cores (float_of_int c.workers)
        (* The answering and the asking process need cores too. *)
        | Load -> cores
      in
      let disturbed = others +. needed > cores +. 0.2 in
      match parse text ~max_rss_kib ~placement ~disturbed with
      | None -> c.skip <- true
      | Some sample -> c.samples <- sample :: c.samples
      | exception (Yojson.Json_error _ | Yojson.Safe.Util.Type_error _) ->
          c.failure <- Some "its output is not what was asked for")

(* {1 Runs and placements}

   The runs are dealt to the placements in turn: an equal share for each
   placement, and one more for the first placements if runs are left over. *)

let share runs c placement =
  (runs / c.placements) + if placement < runs mod c.placements then 1 else 0

(* The samples in the order of measurement. *)
let samples_of c placement =
  List.filter (fun s -> s.placement = placement) (List.rev c.samples)

let clean samples = List.filter (fun s -> not s.disturbed) samples
let all_placements c = List.init c.placements Fun.id

(* The undisturbed samples of a placement; if too few, also the first disturbed
   samples. *)
let used_of runs c placement =
  let samples = samples_of c placement in
  let missing = max 0 (share runs c placement - List.length (clean samples)) in
  let disturbed = List.filter (fun s -> s.disturbed) samples in
  let wanted = List.filteri (fun i _ -> i < missing) disturbed in
  List.filter (fun s -> (not s.disturbed) || List.memq s wanted) samples

(* The samples are dealt from the placements in turn, the oldest first: for
   every contestant, sample i is of placement i modulo the number of
   placements. *)
let used runs c =
  let by_placement = List.map (used_of runs c) (all_placements c) in
  let most = List.fold_left (fun m l -> max m (List.length l)) 0 by_placement in
  List.concat_map
    (fun round -> List.filter_map (fun l -> List.nth_opt l round) by_placement)
    (List.init most Fun.id)

(* The placement to measure next: among the placements with too few undisturbed
   samples, the least measured one. *)
let next_placement runs c =
  let lacks p = List.length (clean (samples_of c p)) < share runs c p in
  let tried p = List.length (samples_of c p) in
  List.fold_left
    (fun best p ->
      match best with
      | Some b when tried b <= tried p -> best
      | _ -> if lacks p then Some p else best)
    None (all_placements c)

(* The times at the fastest and at the slowest placement. *)
let placement_figures samples =
  let time (_, samples) =
    Stats.median (List.map (fun s -> s.seconds) samples)
  in
  match List.map time (Stats.grouped (fun s -> s.placement) samples) with
  | [] | [ _ ] -> []
  | times ->
      [
        ("placements", float_of_int (List.length times));
        ("best_placement_s", Stats.least times);
        ("worst_placement_s", Stats.most times);
      ]

(* All checksums of a benchmark and size must agree with the first: the plain
   program's, if the plain program is in the run. *)
let check cells =
  let checksums c = List.filter_map (fun s -> s.checksum) c.samples in
  match List.concat_map checksums cells with
  | [] -> ()
  | expected :: _ ->
      let wrong c = List.exists (fun x -> x <> expected) (checksums c) in
      List.iter
        (fun c -> if wrong c then c.failure <- Some "WRONG RESULT")
        cells

let mean_figures samples =
  match samples with
  | [] -> []
  | first :: _ ->
      let values name =
        List.filter_map (fun s -> List.assoc_opt name s.figures) samples
      in
      List.map
        (fun (name, _) -> (name, Stats.median (values name)))
        first.figures

let row runs (bench : Suite.t) (size : Suite.size) c =
  let samples = used runs c in
  let disturbed = List.length (List.filter (fun s -> s.disturbed) samples) in
  let times = List.map (fun s -> s.seconds) samples in
  let timed = c.failure = None && times <> [] in
  let stat f = if timed then f times else nan in
  let rss = List.filter_map (fun s -> s.rss_kib) samples in
  let plain = is_plain c.scheduler in
  {
    Row.bench = bench.name;
    scheduler = c.scheduler.name;
    workers = c.workers;
    cutoff = (if plain || bench.cutoff_is = "" then None else Some c.cutoff);
    n = size.n;
    runs = List.length samples;
    median_s = stat Stats.median;
    min_s = stat Stats.least;
    max_s = stat Stats.most;
    runs_s = (if timed && bench.kind = Time then times else []);
    cpu_s =
      (if timed then Stats.median (List.map (fun s -> s.cpu) samples) else nan);
    max_rss_kib = (if rss = [] then None else Some (List.fold_left max 0 rss));
    disturbed;
    ratio_to_sequential = None;
    figures =
      (if c.failure <> None then []
       else if Suite.forks bench size.n = None then mean_figures samples
       else placement_figures samples @ mean_figures samples);
    failure = c.failure;
  }

(* A disturbed measurement is repeated, in at most as many extra rounds as there
   are runs. *)
let measure_all plan ~runs ~progress (bench : Suite.t) (size : Suite.size) cells
    =
  let one c placement =
    progress
      (Printf.sprintf "%s n=%d %s, %d worker%s" bench.name size.n
         c.scheduler.name c.workers
         (if c.workers = 1 then "" else "s"));
    measure plan bench size.n c placement
  in
  let turn c =
    if c.failure = None && not c.skip then
      Option.iter (one c) (next_placement runs c)
  in
  for _ = 1 to 2 * runs do
    List.iter turn cells;
    check cells
  done

(* A contestant that failed at a smaller size is not measured at a larger
   size. *)
let fail_as groups ((bench : Suite.t), (size : Suite.size), cells) =
  let smaller ((b : Suite.t), (s : Suite.size), cells) =
    if b.name = bench.name && s.n < size.n then cells else []
  in
  let key c = (c.scheduler.name, c.workers, c.cutoff) in
  let failure c other = if key other = key c then other.failure else None in
  let smaller = List.concat_map smaller groups in
  List.iter (fun c -> c.failure <- List.find_map (failure c) smaller) cells

let groups (plan : plan) =
  List.concat_map
    (fun (bench, sizes) ->
      List.map
        (fun (size : Suite.size) -> (bench, size, cells plan bench size))
        sizes)
    plan.benches

let commands plan =
  List.concat_map
    (fun (bench, (size : Suite.size), cells) ->
      List.map (fun c -> command bench size.n c 0) cells)
    (groups plan)

let run (plan : plan) ~progress ~report =
  let groups = groups plan in
  let of_ = List.length groups in
  let one i (((bench : Suite.t), size, cells) as group) =
    fail_as groups group;
    let runs = if bench.kind = Probe then 1 else plan.runs bench in
    measure_all plan ~runs ~progress:(progress ~done_:i ~of_) bench size cells;
    let cells = List.filter (fun c -> not c.skip) cells in
    let base name =
      match List.find_opt (fun c -> c.scheduler.name = name) cells with
      | Some c -> c.scheduler.base
      | None -> name
    in
    let rows =
      List.map (row runs bench size) cells |> Derived.add bench ~base
    in
    report bench size rows;
    rows
  in
  List.concat (List.mapi one groups)
