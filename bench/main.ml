(* The lab's command line. *)

open Bench_driver
open Cmdliner

let progress ~done_ ~of_ what =
  Progress_line.show "[%d/%d] %s" (done_ + 1) of_ what

let unknown what name known =
  Fmt.failwith "unknown %s %S; --list shows them: %s" what name
    (String.concat ", " known)

let named = List.map (fun (b : Suite.t) -> b.name)
let of_growth = Suite.growth @ Suite.contention

let chosen only =
  match only with
  | [] -> Suite.all
  | names ->
      let expand name = if name = "five" then Suite.five else [ name ] in
      List.map
        (fun n ->
          match Suite.find n with
          | Some b -> b
          | None ->
              unknown "benchmark" n
                (named Suite.all @ [ "five" ] @ named of_growth))
        (List.concat_map expand names)

let schedulers all names =
  let name (s : Scheduler.t) = s.name in
  match names with
  | [] -> all
  | names ->
      let known n =
        if not (List.exists (fun s -> name s = n) all) then
          unknown "scheduler" n (List.map name all)
      in
      List.iter known names;
      List.filter (fun s -> List.mem (name s) names) all

let list all =
  Fmt.pr "Benchmarks:@.";
  List.iter
    (fun (b : Suite.t) -> Fmt.pr "  %-15s %s@." b.name b.about)
    Suite.all;
  Fmt.pr "  %-15s %s@." "five" (String.concat ", " Suite.five);
  Fmt.pr "Of --growth:@.";
  List.iter
    (fun (b : Suite.t) -> Fmt.pr "  %-17s %s@." b.name b.about)
    of_growth;
  Fmt.pr "Schedulers:@.";
  List.iter (fun (s : Scheduler.t) -> Fmt.pr "  %-20s %s@." s.name s.about) all

(* The benchmarks of [--growth], or those named by [--only]. *)
let growing only =
  let one (b : Suite.t) =
    if List.memq b of_growth then b
    else
      Fmt.failwith "%s is not one of --growth's: %s" b.name
        (String.concat ", " (named of_growth))
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
        "--verdict and --only %s do not combine: what has no time to \
         completion has no verdict"
        b.name
    else b
  in
  List.map one (chosen only)

let sizes ~quick ~n ~cutoffs (b : Suite.t) =
  let default = if quick then b.quick else b.full in
  let default =
    match n with
    | None -> default
    | Some n -> [ { Suite.n; cutoffs = (List.hd default).cutoffs } ]
  in
  let cut (s : Suite.size) =
    if cutoffs <> [] && b.cutoff_is <> "" then { s with cutoffs } else s
  in
  (b, List.map cut default)

let warn_profile () =
  if Build_profile.name = "dev" then
    Fmt.epr
      "Note: built with dune's dev profile, in which modules are not optimised \
       across: for figures, build with --profile release.@."

let draw dir rows =
  let files = Plot.draw ~dir rows in
  List.iter (fun f -> Fmt.pr "Wrote %s@." f) files

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

type options = {
  only : string list;
  names : string list;
  workers : int list;
  runs : int option;
  quick : bool;
  n : int option;
  cutoffs : int list;
  limit : float;
  max_rss : int;
  verdict : bool;
  growth : bool;
}

let default_runs o (b : Suite.t) =
  match (o.runs, b.kind) with
  | Some runs, _ -> runs
  | None, Time when o.growth -> if o.quick then 1 else 3
  | None, Time when o.verdict || not o.quick -> Placement.count
  | None, Load when not o.quick -> 3
  | None, (Time | Load | Probe) -> 1

let plan all o =
  let schedulers, benches =
    match (o.verdict, o.names, o.only) with
    | true, [], [] -> compared all
    | true, [], only -> (fst (compared all), judged only)
    | true, names, [] -> (schedulers all names, snd (compared all))
    | true, names, only -> (schedulers all names, judged only)
    | false, names, only when o.growth -> (schedulers all names, growing only)
    | false, names, only -> (schedulers all names, chosen only)
  in
  {
    Runner.schedulers;
    benches = List.map (sizes ~quick:o.quick ~n:o.n ~cutoffs:o.cutoffs) benches;
    workers = o.workers;
    runs = default_runs o;
    limit = o.limit;
    max_rss_mib = o.max_rss;
  }

let measure plan o =
  warn_profile ();
  let report bench size rows =
    Progress_line.clear ();
    if rows <> [] && not (o.verdict || o.growth) then
      Table.print Fmt.stdout bench size rows
  in
  let rows = Runner.run plan ~progress ~report in
  Progress_line.clear ();
  rows

let wrong (r : Row.t) = r.failure = Some "WRONG RESULT"
let growth_plots = Filename.concat "_build" "growth"

let show_growth rows ~plots =
  let grown = Growth.lines rows and contended = Contention.lines rows in
  Growth.print Fmt.stdout grown;
  Contention.print Fmt.stdout contended;
  Table.print_disturbed Fmt.stdout rows;
  let wrote dir charts =
    Fmt.pr "Drew %d charts in %s@." (List.length (Plot.write ~dir charts)) dir
  in
  Option.iter
    (fun dir -> wrote dir (Growth.charts grown @ Contention.charts contended))
    plots

(* Prints and writes the rows as the options ask. *)
let hand_over rows ~verdict ~growth ~json ~plots =
  let lines = if verdict then Verdict.lines rows else [] in
  let beside =
    if verdict then [ ("verdicts", Verdict.to_json lines) ] else []
  in
  if verdict then (
    Verdict.print Fmt.stdout lines;
    Table.print_disturbed Fmt.stdout rows);
  Option.iter (fun file -> Row.write ~beside file rows) json;
  let plots =
    match plots with None when growth -> Some growth_plots | given -> given
  in
  if growth then show_growth rows ~plots
  else Option.iter (fun dir -> draw dir rows) plots;
  if List.exists wrong rows then failwith "a contestant's result is wrong"

let main options seconds all_peers show commands json from plots =
  if options.verdict && options.growth then
    failwith "--growth and --verdict do not combine: growth has no verdicts";
  Scheduler.load_seconds :=
    Option.value seconds ~default:(if options.quick then 1. else 4.);
  let foreign, absent =
    if all_peers && from = None then Foreign.build () else ([], [])
  in
  let all = Scheduler.ours @ foreign in
  if show then list all
  else if commands then
    List.iter
      (fun command -> print_endline (String.concat " " command))
      (Runner.commands (plan all options))
  else
    let rows =
      match from with
      | Some file -> Row.read file
      | None ->
          let plan = plan all options in
          (* An unwritable file is reported before any measurement. *)
          Option.iter Plot.make_directory plots;
          Option.iter
            (fun file -> close_out (open_out_gen [ Open_creat ] 0o644 file))
            json;
          List.iter (Fmt.pr "%s@.") (Roster.missing @ Servers.missing @ absent);
          measure plan options
    in
    hand_over rows ~verdict:options.verdict ~growth:options.growth ~json ~plots

(* {1 Options} *)

(* A converter: the value that [read] makes of the text, if the value is [fit];
   [range] describes the fit values. *)
let within read print fit range =
  let parse text =
    match read text with
    | Some x when fit x -> Ok x
    | Some _ | None -> Error (`Msg (Printf.sprintf "%s is not %s" text range))
  in
  Arg.conv (parse, print)

let int fit = within int_of_string_opt Fmt.int fit

let ints fit =
  let read text =
    let numbers = List.map int_of_string_opt (String.split_on_char ',' text) in
    if List.mem None numbers then None
    else Some (List.filter_map Fun.id numbers)
  in
  within read Fmt.(list ~sep:(any ",") int) (List.for_all fit)

let positive = int (fun n -> n >= 1) "a number of at least 1"

(* OCaml has at most 128 domains, unless OCAMLRUNPARAM says otherwise. *)
let worker_counts =
  ints (fun n -> 1 <= n && n <= 128) "a list of numbers from 1 to 128"

let naturals = ints (fun n -> n >= 0) "a list of numbers of at least 0"

let duration =
  within float_of_string_opt Fmt.float
    (fun s -> s > 0. && Float.is_finite s)
    "a number of seconds above 0"

let names_arg name doc =
  Arg.(value & opt_all (list string) [] & info [ name ] ~docv:"NAME" ~doc)

let command =
  let flag name doc = Arg.(value & flag & info [ name ] ~doc) in
  let opt kind name docv doc =
    Arg.(value & opt (some kind) None & info [ name ] ~docv ~doc)
  in
  let numbers name kind default docv doc =
    Arg.(value & opt kind default & info [ name ] ~docv ~doc)
  in
  let options only names workers runs quick n cutoffs limit max_rss verdict
      growth =
    {
      only = List.concat only;
      names = List.concat names;
      workers;
      runs;
      quick;
      n;
      cutoffs;
      limit;
      max_rss;
      verdict;
      growth;
    }
  in
  let options =
    Term.(
      const options
      $ names_arg "only" "Only these benchmarks (a list; repeatable)."
      $ names_arg "schedulers" "Only these schedulers (a list; repeatable)."
      $ numbers "workers" worker_counts [ 1; 2 ] "N,..." "Numbers of workers."
      $ opt positive "runs" "N"
          "Measurements of each (default 8; of servers and with $(b,--growth) \
           3; quick 1, or 8 with $(b,--verdict))."
      $ flag "quick"
          "Small sizes, once each: some minutes in all, more on a busy machine."
      $ opt positive "size" "N" "Another size."
      $ numbers "cutoffs" naturals [] "C,..."
          "Other cut-offs, chunks, or loads."
      $ Arg.(
          value & opt duration 20.
          & info [ "limit" ] ~docv:"S"
              ~doc:"Seconds for one measurement, its warm-up included.")
      $ Arg.(
          value & opt positive 2048
          & info [ "max-rss" ] ~docv:"MIB"
              ~doc:"Memory for one measurement; more of it is a failure.")
      $ flag "verdict"
          "In place of the tables, say of each row of Dromos whether it is \
           ahead of the best peer in OCaml, and of the plain program on one \
           worker, equal, or behind, with a 95 % interval of the ratio. \
           Measures only what that needs; works with $(b,--from) too."
      $ flag "growth"
          "Measure growth (time and memory over n, from a thousand to ten \
           million) and contention (throughput over 1 to 256 tasks), with \
           exponents, and draw them into the directory of $(b,--plots) \
           (_build/growth). Works with $(b,--from) too.")
  in
  let term =
    Term.(
      const main $ options
      $ opt duration "seconds" "S"
          "How long each load is offered to a server (default 4; quick 1)."
      $ flag "all-peers"
          "Also Taskflow and oneTBB (C++), rayon (Rust), Go and Java, where \
           there are tools to build them."
      $ flag "list" "List benchmarks and schedulers."
      $ flag "commands"
          "Measure nothing: print, a line each, the commands that would be run."
      $ opt Arg.string "json" "FILE" "Write the rows to this file."
      $ opt Arg.file "from" "FILE" "Read rows from a file instead of measuring."
      $ opt Arg.string "plots" "DIR" "Draw the rows, as SVG files.")
  in
  let doc = "measure Dromos and its peers in one run" in
  Cmd.v (Cmd.info "dromos-bench" ~doc ~version:Version.text) term

let () =
  let eval () =
    try Cmd.eval ~catch:false command
    with Failure message ->
      Fmt.epr "bench: %s@." message;
      1
  in
  exit (Dromos_stdout.ended ~name:"bench" ~failed:1 eval)
