(* The lab's command line. *)

open Bench_driver
open Cmdliner

let progress ~quiet ~done_ ~of_ what =
  if not quiet then Printf.eprintf "\r\027[K[%d/%d] %s%!" (done_ + 1) of_ what

let clear ~quiet = if not quiet then Printf.eprintf "\r\027[K%!"

let unknown what name known =
  Fmt.failwith "unknown %s %S; --list shows them: %s" what name
    (String.concat ", " known)

let chosen only =
  let name (b : Suite.t) = b.name in
  match only with
  | [] -> Suite.all
  | names ->
      let expand name = if name = "five" then Suite.five else [ name ] in
      List.map
        (fun n ->
          match Suite.find n with
          | Some b -> b
          | None -> unknown "benchmark" n (List.map name Suite.all))
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
    (Suite.growth @ Suite.contention);
  Fmt.pr "Schedulers:@.";
  List.iter (fun (s : Scheduler.t) -> Fmt.pr "  %-20s %s@." s.name s.about) all

(* What [--growth] measures, or those of it that are named. *)
let growing only =
  let all = Suite.growth @ Suite.contention in
  if only = [] then all
  else List.filter (fun b -> List.memq b all) (chosen only)

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

(* Of the contestants and benchmarks, those that a verdict is about. *)
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
    | true, [], only -> (fst (compared all), chosen only)
    | true, names, [] -> (schedulers all names, snd (compared all))
    | false, names, only when o.growth -> (schedulers all names, growing only)
    | _, names, only -> (schedulers all names, chosen only)
  in
  {
    Runner.schedulers;
    benches = List.map (sizes ~quick:o.quick ~n:o.n ~cutoffs:o.cutoffs) benches;
    workers = o.workers;
    runs = default_runs o;
    limit = o.limit;
    max_rss_mib = o.max_rss;
  }

let measure all o ~quiet =
  warn_profile ();
  let report bench size rows =
    clear ~quiet;
    if rows <> [] && not (o.verdict || o.growth) then
      Table.print Fmt.stdout bench size rows
  in
  let rows = Runner.run (plan all o) ~progress:(progress ~quiet) ~report in
  clear ~quiet;
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

(* What becomes of the rows. *)
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
  let quiet = not (Unix.isatty Unix.stderr) in
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
          List.iter (Fmt.pr "%s@.") (Roster.missing @ Servers.missing @ absent);
          measure all options ~quiet
    in
    hand_over rows ~verdict:options.verdict ~growth:options.growth ~json ~plots

let names_arg name doc =
  Arg.(value & opt_all (list string) [] & info [ name ] ~docv:"NAME" ~doc)

let command =
  let flag name doc = Arg.(value & flag & info [ name ] ~doc) in
  let opt kind name docv doc =
    Arg.(value & opt (some kind) None & info [ name ] ~docv ~doc)
  in
  let ints name default docv doc =
    Arg.(value & opt (list int) default & info [ name ] ~docv ~doc)
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
      $ ints "workers" [ 1; 2 ] "N,..." "Numbers of workers."
      $ opt Arg.int "runs" "N"
          "Measurements of each (default 8; of servers and with $(b,--growth) \
           3; quick 1, or 8 with $(b,--verdict))."
      $ flag "quick" "Small sizes, once each: under a minute in all."
      $ opt Arg.int "size" "N" "Another size."
      $ ints "cutoffs" [] "C,..." "Other cut-offs, chunks, or loads."
      $ Arg.(
          value & opt float 20.
          & info [ "limit" ] ~docv:"S" ~doc:"Seconds for one measurement.")
      $ Arg.(
          value & opt int 2048
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
      $ opt Arg.float "seconds" "S"
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
  Cmd.v (Cmd.info "bench" ~doc) term

let () =
  match Cmd.eval ~catch:false command with
  | status -> exit status
  | exception Failure message ->
      Fmt.epr "bench: %s@." message;
      exit 1
