open Corpus

type arguments = {
  workers : int option;
  hub : Dromos.Hub.t;
  options : Job.options;
  check : bool;
  rounds : int;
  seconds : float;
}

(* Domains of the pass before take part in minor collections until they have
   ended, after 50 ms. *)
let settle () = Unix.sleepf 0.1

let rec repeat times f =
  let result = f () in
  if times > 1 then repeat (times - 1) f else result

let timed kind label ~times f =
  (* A pass must not pay for garbage of the pass before. *)
  Gc.full_major ();
  let cpu = Sys.time () and wall = Unix.gettimeofday () in
  let result = repeat times f in
  let wall = Unix.gettimeofday () -. wall and cpu = Sys.time () -. cpu in
  (result, { Report.kind; label; wall; cpu })

(* Calls [f] in one process; other ranks wait for the result. *)
let alone ?world f =
  match world with None -> f () | Some world -> Over_ranks.agreed world f

let label = function
  | None -> "parallel, Dromos"
  | Some world ->
      Printf.sprintf "parallel, Dromos, ranks: %d" (Over_ranks.size world)

let workers ?world a =
  match (a.workers, world) with
  | None, Some world -> Some (Over_ranks.workers world)
  | workers, _ -> workers

(* In one process, or over all ranks. *)
let on_dromos progress ?world a ~times roots =
  let job =
    match world with
    | None -> Job.parallel Loops.dromos
    | Some world -> Over_ranks.job world
  in
  timed Report.Parallel (label world) ~times:1 (fun () ->
      Dromos.run ?workers:(workers ?world a) ~hub:a.hub (fun () ->
          let workers = Dromos.workers () in
          (repeat times (fun () -> job progress a.options roots), workers)))

let on_domainslib progress a ~workers ~times roots =
  let pass (peer : Peer.t) =
    peer.run ~workers (fun loops ->
        timed Report.Peer ("parallel, " ^ loops.Loops.name) ~times (fun () ->
            Job.parallel loops progress a.options roots))
  in
  List.map pass (Option.to_list Peer.domainslib)

(* Outside a run, loops of Dromos are plain loops: the cost of the algorithm on
   one thread, without a scheduler. *)
let sequentially progress a ~times roots =
  [
    ("same code, no scheduler", Job.parallel Loops.dromos);
    ("plain sequential code", Job.sequential);
  ]
  |> List.map (fun (label, pass) ->
         timed Report.Alone label ~times (fun () ->
             pass progress a.options roots))

(* Runs every kind of pass once and returns the differences. *)
let round progress ?world a ~times roots =
  let (figures, workers), parallel = on_dromos progress ?world a ~times roots in
  let stats = Dromos.stats () in
  let checked (again, timing) = (timing, Job.differences figures again) in
  let checks =
    if not a.check then []
    else
      alone ?world (fun () ->
          settle ();
          let peers =
            if world = None then on_domainslib progress a ~workers ~times roots
            else []
          in
          List.map checked (peers @ sequentially progress a ~times roots))
  in
  ( figures,
    workers,
    stats,
    parallel :: List.map fst checks,
    List.concat_map snd checks )

(* How often a pass does the job. Processor time is the same on a busy
   machine. *)
let times progress ?world a roots =
  if a.seconds <= 0. || not a.check then 1
  else
    alone ?world (fun () ->
        let before = Sys.time () in
        ignore (Job.sequential progress a.options roots : Job.figures);
        let once = Float.max 1e-4 (Sys.time () -. before) in
        Int.max 1 (int_of_float (Float.round (a.seconds /. once))))

(* Kinds of passes take turns, so that a disturbance slows all kinds alike. *)
let measure progress ?world a roots =
  let rounds = if a.check then a.rounds else 1 in
  if a.check then alone ?world (fun () -> Job.warm_up progress roots);
  let times = times progress ?world a roots in
  let all = List.init rounds (fun _ -> round progress ?world a ~times roots) in
  let figures, workers, stats, _, _ = List.hd (List.rev all) in
  let timings = List.map (fun (_, _, _, timings, _) -> timings) all in
  let differences =
    List.sort_uniq compare (List.concat_map (fun (_, _, _, _, d) -> d) all)
  in
  ( figures,
    {
      Report.workers;
      hub = Dromos.Hub.name a.hub;
      rounds;
      times;
      timings = Report.least timings;
      stats;
      differences = (if a.check then Some differences else None);
    } )

let chart progress a ~title roots =
  let recording = Recording.create progress in
  let job = Job.parallel (Recording.loops recording Loops.dromos) in
  let workers =
    Dromos.run ?workers:a.workers ~hub:a.hub (fun () ->
        Recording.during recording (fun () ->
            ignore (job progress a.options roots : Job.figures));
        Dromos.workers ())
  in
  Recording.page recording ~title ~workers
    ~facts:
      [ ("workers", string_of_int workers); ("hub", Dromos.Hub.name a.hub) ]
