(* The corpus job: a parallel program on real files, from the command line to
   the exit status. The modules beside this file do the work; Job has the two forms of
   the work.

   Exit status: 0; 1 if something could not be read; 2 for a bad command line or
   path; 3 if the check found a difference; 130 after Ctrl-C. *)

open Corpus

let say fmt = Printf.eprintf ("corpus: " ^^ fmt ^^ "\n%!")

(* The directory of the OCaml installation: interfaces and sources of the compiler
   and of libraries. *)
let default_root () =
  let found =
    try
      let ic =
        Unix.open_process_args_in "ocamlfind"
          [| "ocamlfind"; "ocamlc"; "-where" |]
      in
      let line = In_channel.input_line ic in
      match (Unix.close_process_in ic, line) with
      | WEXITED 0, Some dir -> Some dir
      | _ -> None
    with Unix.Unix_error _ -> None
  in
  Option.value found ~default:Corpus.Stdlib_dir.path

let timed label f =
  (* A pass must not pay for garbage of the pass before. *)
  Gc.full_major ();
  let cpu = Sys.time () and wall = Unix.gettimeofday () in
  let result = f () in
  let wall = Unix.gettimeofday () -. wall and cpu = Sys.time () -. cpu in
  (result, { Report.label; wall; cpu })

type arguments = {
  paths : string list;
  workers : int option;
  hub : Dromos.Hub.t;
  options : Job.options;
  check : bool;
  rounds : int;
  json : bool;
  bar : bool;
  mpi : bool;
}

(* Runs the job in one process, or over all ranks. *)
let in_parallel progress ?world a roots () =
  let workers =
    match (a.workers, world) with
    | None, Some world -> Some (Over_ranks.workers world)
    | workers, _ -> workers
  in
  let job =
    match world with None -> Job.parallel | Some world -> Over_ranks.job world
  in
  Dromos.run ?workers ~hub:a.hub (fun () ->
      let workers = Dromos.workers () in
      (job progress a.options roots, workers))

let label = function
  | None -> "parallel"
  | Some world -> Printf.sprintf "parallel, ranks: %d" (Over_ranks.size world)

(* Calls [f] in one process; other ranks wait for the result. *)
let alone ?world f =
  match world with None -> f () | Some world -> Over_ranks.agreed world f

(* Runs every kind of pass once and returns the differences. The second kind calls
   the parallel algorithm outside [Dromos.run], where loops are plain loops: the cost
   of the algorithm on one thread, without a scheduler. *)
let round progress ?world a roots =
  let (figures, workers), parallel =
    timed (label world) (in_parallel progress ?world a roots)
  in
  let stats = Dromos.stats () in
  let check label pass =
    let again, timing = timed label (fun () -> pass progress a.options roots) in
    (timing, Job.differences figures again)
  in
  let checks =
    if a.check then
      alone ?world (fun () ->
          [
            check "same code, no scheduler" Job.parallel;
            check "plain sequential code" Job.sequential;
          ])
    else []
  in
  ( figures,
    workers,
    stats,
    parallel :: List.map fst checks,
    List.concat_map snd checks )

(* Kinds of passes take turns, so that a disturbance slows all kinds alike. *)
let measure progress ?world a roots =
  let rounds = if a.check then a.rounds else 1 in
  if a.check then alone ?world (fun () -> Job.warm_up progress roots);
  let all = List.init rounds (fun _ -> round progress ?world a roots) in
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
      timings = Report.medians timings;
      stats;
      differences = (if a.check then Some differences else None);
    } )

let first world =
  Option.fold world ~none:true ~some:(fun w -> Over_ranks.rank w = 0)

let show a roots figures measured =
  (if a.json then Report.json else Report.print)
    a.options roots figures measured;
  List.iter
    (fun (path, reason) -> say "%s: %s" (Report.printable path) reason)
    figures.Job.errors

let work ?world a roots =
  let progress = Progress.create ~enabled:(a.bar && first world) in
  let figures, measured =
    Fun.protect
      ~finally:(fun () -> Progress.wipe progress)
      (fun () -> measure progress ?world a roots)
  in
  if first world then show a roots figures measured;
  match (measured.differences, figures.errors) with
  | Some (_ :: _), _ -> 3
  | _, _ :: _ -> 1
  | _, [] -> 0

let main a =
  Interrupt.install ();
  (* Minor collections stop every domain. A larger minor heap makes collections
     rarer, in all passes. *)
  Gc.set { (Gc.get ()) with minor_heap_size = 1 lsl 20 };
  let paths = match a.paths with [] -> [ default_root () ] | paths -> paths in
  match Walk.roots paths with
  | Error reason ->
      say "%s" reason;
      2
  | Ok _ when a.mpi && not Over_ranks.available ->
      say "--mpi: this program was built without package dromos-mpi";
      2
  | Ok roots -> (
      try
        let ended f = Dromos_stdout.ended ~name:"corpus" ~failed:1 f in
        if a.mpi then
          Over_ranks.run (fun world -> ended (fun () -> work ~world a roots))
        else ended (fun () -> work a roots)
      with
      | Interrupt.Stopped ->
          say "interrupted; nothing was changed";
          130
      | Failure reason ->
          say "%s" reason;
          1)

open Cmdliner

let positive ?(most = 1_000_000) what =
  Example_options.number ~least:1 ~most what

let arguments =
  let open Term.Syntax in
  let+ paths =
    Arg.(
      value & pos_all string []
      & info [] ~docv:"PATH"
          ~doc:
            "Directories to walk, and files. By default, the library directory \
             of the OCaml installation.")
  and+ workers =
    Arg.(
      value
      & opt (some (positive ~most:128 "number of workers")) None
      & info [ "w"; "workers" ] ~docv:"N"
          ~doc:
            "Domains that take part, at most 128. By default \
             \\$(b,DROMOS_WORKERS), or as many as there are processors.")
  and+ hub =
    let hubs = List.map (fun h -> (Dromos.Hub.name h, h)) Dromos.Hub.all in
    Arg.(
      value
      & opt (enum hubs) Dromos.Hub.std
      & info [ "hub" ] ~docv:"HUB"
          ~doc:("The scheduling policy: " ^ doc_alts_enum hubs ^ "."))
  and+ n =
    Arg.(
      value
      & opt (positive "number of words") 3
      & info [ "n" ] ~docv:"N" ~doc:"Words in a phrase.")
  and+ top =
    Arg.(
      value
      & opt (positive "number of lines") 10
      & info [ "top" ] ~docv:"N" ~doc:"Phrases, and duplicates, to show.")
  and+ no_check =
    Arg.(
      value & flag
      & info [ "no-check" ]
          ~doc:
            "Only the parallel pass: no sequential ones to check it and to \
             compare its time with.")
  and+ rounds =
    Arg.(
      value
      & opt (positive "number of rounds") 3
      & info [ "rounds" ] ~docv:"N"
          ~doc:
            "How often every kind of pass is made; times are medians. For \
             large trees, 1 will do.")
  and+ mpi =
    Arg.(
      value & flag
      & info [ "mpi" ]
          ~doc:
            "Over the ranks of MPI: $(b,mpirun -n 4 corpus --mpi DIR). Every \
             rank needs the files under the same paths; rank 0 checks and \
             prints.")
  and+ json = Arg.(value & flag & info [ "json" ] ~doc:"Print one JSON object.")
  and+ no_bar =
    Arg.(value & flag & info [ "no-progress" ] ~doc:"No progress bar.")
  in
  {
    paths;
    workers;
    hub;
    options = { n; top };
    check = not no_check;
    rounds;
    json;
    bar = not no_bar;
    mpi;
  }

let command =
  let doc =
    "counts words, phrases and duplicate files of a tree, in parallel"
  in
  let exits =
    Cmd.Exit.
      [
        info 0 ~doc:"on success.";
        info 1 ~doc:"if something could not be read (the rest was).";
        info 2 ~doc:"on a bad command line, or a path that is not there.";
        info 3 ~doc:"if the sequential pass found other figures.";
        info 130 ~doc:"after Ctrl-C.";
      ]
  in
  let man =
    [
      `S Manpage.s_description;
      `P
        "Walks directory trees, skips binary files, counts lines and words, \
         finds the most frequent phrases (sequences of words) and the files \
         with equal content. Then does everything again in sequence, compares \
         every figure, and says how much faster the parallel pass was.";
    ]
  in
  Cmd.v (Cmd.info "corpus" ~doc ~exits ~man) Term.(const main $ arguments)

let () = exit (Example_options.status command)
