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

type arguments = {
  paths : string list;
  passes : Passes.arguments;
  seconds : float option;
  json : bool;
  bar : bool;
  mpi : bool;
  chart : string option;
}

let first world =
  Option.fold world ~none:true ~some:(fun w -> Over_ranks.rank w = 0)

let show a roots figures measured =
  (if a.json then Report.json else Report.print)
    a.passes.options roots figures measured;
  List.iter
    (fun (path, reason) -> say "%s: %s" (Report.printable path) reason)
    figures.Job.errors

let draw progress a roots file =
  let title = String.concat " " (List.map Report.printable roots) in
  let page = Passes.chart progress a.passes ~title roots in
  Out_channel.with_open_bin file (fun out -> output_string out page);
  say
    "the workers' time in one more run of the job: open file://%s in a browser"
    (Unix.realpath file)

let work ?world a roots =
  let progress = Progress.create ~enabled:(a.bar && first world) in
  let passes =
    (* The default job has an unknown size, so it is repeated if it is small. *)
    match a.seconds with
    | Some seconds -> { a.passes with seconds }
    | None -> { a.passes with seconds = (if a.paths = [] then 1. else 0.) }
  in
  let figures, measured =
    Fun.protect
      ~finally:(fun () -> Progress.wipe progress)
      (fun () -> Passes.measure progress ?world passes roots)
  in
  if first world then show a roots figures measured;
  Option.iter
    (fun file ->
      Fun.protect
        ~finally:(fun () -> Progress.wipe progress)
        (fun () -> draw progress a roots file))
    a.chart;
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
  | Ok _ when a.mpi && a.chart <> None ->
      say "--chart draws one process: not with --mpi";
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
            "How often every kind of pass is made; the least times are shown. \
             For large trees, 1 will do.")
  and+ seconds =
    Arg.(
      value
      & opt (some Example_options.seconds) None
      & info [ "seconds" ] ~docv:"S"
          ~doc:
            "Every pass repeats the job until the plain sequential code takes \
             about so long: a short job says little about a scheduler. By \
             default a second without a $(i,PATH); with one, every pass does \
             the job once.")
  and+ chart =
    Arg.(
      value
      & opt (some string) None
      & info [ "chart" ] ~docv:"FILE"
          ~doc:
            "Runs the job once more and draws the workers' time: a page for \
             any browser.")
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
    passes =
      {
        workers;
        hub;
        options = { n; top };
        check = not no_check;
        rounds;
        seconds = 0.;
      };
    seconds;
    json;
    bar = not no_bar;
    mpi;
    chart;
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
