(* The suite's command line: `make heap-bench`. *)

open Bench_driver
open Heap_bench
open Cmdliner

type options = {
  only : string list;
  contestants : string list;
  workers : int list;
  runs : int;
  repeats : int;
  quick : bool;
  divide : int;
  no_pauses : bool;
  limit : float;
  max_rss : int;
  one_core : bool;
  stress : bool;
  peers : string option;
  json : string option;
  plots : string option;
}

let chosen what name all = function
  | [] -> all
  | wanted ->
      let find w =
        match List.find_opt (fun x -> name x = w) all with
        | Some x -> x
        | None ->
            Fmt.failwith "unknown %s %S; --list shows them: %s" what w
              (String.concat ", " (List.map name all))
      in
      List.map find wanted

let program_name (p : Heap_suite.Program.t) = p.name
let contestant_name (c : Contestants.t) = c.scheduler.name

let contestants o =
  Contestants.all
    {
      prefix = (if o.one_core then [ "taskset"; "-c"; "0" ] else []);
      repeats = (if o.quick then 2 else o.repeats);
      limit = o.limit;
      peers = o.peers;
    }

let list o =
  let all, missing = contestants o in
  Fmt.pr "Programs:@.";
  List.iter
    (fun (p : Heap_suite.Program.t) ->
      Fmt.pr "  %-16s %s (%d %s%s)@." p.name p.about p.size p.size_is
        (if p.entangled then "; entangled" else ""))
    Heap_suite.Programs.all;
  Fmt.pr "Contestants:@.";
  List.iter
    (fun (c : Contestants.t) ->
      Fmt.pr "  %-16s %s@." c.scheduler.name c.scheduler.about)
    all;
  List.iter (Fmt.pr "%s@.") missing

let warn_profile () =
  if Build_profile.name = "dev" then
    Fmt.epr
      "Note: built with dune's dev profile, in which modules are not optimised \
       across: for figures, build with --profile release.@."

let progress ~done_ ~of_ what =
  Progress_line.show "[%d/%d] %s" (done_ + 1) of_ what

let measure o =
  warn_profile ();
  let all, missing = contestants o in
  List.iter (Fmt.pr "%s@.") missing;
  if o.one_core then Fmt.pr "All on one core.@.";
  let divide = o.divide * if o.quick then 10 else 1 in
  let asked : Comparison.asked =
    {
      contestants = chosen "contestant" contestant_name all o.contestants;
      programs = chosen "program" program_name Heap_suite.Programs.all o.only;
      size = (fun p -> max p.tiny (p.size / divide));
      workers =
        (match o.workers with
        | [] -> if o.quick then [ 1; 2 ] else [ 1; 2; 4 ]
        | workers -> workers);
      runs = (if o.quick then 1 else o.runs);
      observe = not o.no_pauses;
      limit = o.limit;
      max_rss_mib = o.max_rss;
    }
  in
  if o.stress then begin
    let percentages = List.init 11 (fun i -> 10 * i) in
    let rows = Series.run asked ~percentages ~progress in
    Progress_line.clear ();
    rows
  end
  else
    Comparison.run asked ~progress ~report:(fun rows ->
        Progress_line.clear ();
        Tables.program Fmt.stdout rows)

(* Prints the summaries of stress rows and of program rows. *)
let show rows =
  let stress, others =
    List.partition (fun (r : Row.t) -> r.bench = Series.bench) rows
  in
  if stress <> [] then Series.print Fmt.stdout stress;
  if others <> [] then begin
    Tables.paper Fmt.stdout others;
    Tables.summary Fmt.stdout others
  end

let draw dir rows =
  let stress, others =
    List.partition (fun (r : Row.t) -> r.bench = Series.bench) rows
  in
  (if stress = [] then [] else Series.draw ~dir stress)
  @ if others = [] then [] else Pictures.draw ~dir others

let main o listed from =
  if listed then list o
  else
    let rows = match from with None -> measure o | Some f -> Row.read f in
    show rows;
    Option.iter (fun file -> Row.write file rows) o.json;
    Option.iter
      (fun dir -> List.iter (Fmt.pr "Wrote %s@.") (draw dir rows))
      o.plots;
    if List.exists (fun (r : Row.t) -> r.failure <> None) rows then
      failwith "some measurements failed"

let command =
  let flag name doc = Arg.(value & flag & info [ name ] ~doc) in
  let value kind name default docv doc =
    Arg.(value & opt kind default & info [ name ] ~docv ~doc)
  in
  let optional kind name docv doc =
    Arg.(value & opt (some kind) None & info [ name ] ~docv ~doc)
  in
  let names name doc =
    Arg.(value & opt (list string) [] & info [ name ] ~docv:"NAME,.." ~doc)
  in
  let options only contestants workers runs repeats quick divide no_pauses limit
      max_rss one_core stress all_peers peers json plots =
    {
      only;
      contestants;
      workers;
      runs;
      repeats;
      quick;
      divide;
      no_pauses;
      limit;
      max_rss;
      one_core;
      stress;
      peers = (if all_peers then Some peers else None);
      json;
      plots;
    }
  in
  let options =
    Term.(
      const options
      $ names "only" "Only these programs."
      $ names "contestants" "Only these contestants."
      $ Arg.(
          value
          & opt (list int) []
          & info [ "workers" ] ~docv:"N,.."
              ~doc:"Numbers of workers (1,2,4; quick 1,2).")
      $ value Arg.int "runs" 3 "N" "Processes for each (3; quick 1)."
      $ value Arg.int "repeats" 3 "N"
          "Runs in a process, the first of which warms up (3; quick 2)."
      $ flag "quick" "A tenth of the sizes."
      $ value Arg.int "divide" 1 "N" "Sizes divided by this."
      $ flag "no-pauses" "No observed runs."
      $ value Arg.float "limit" 120. "S" "Seconds for one process."
      $ value Arg.int "max-rss" 8192 "MIB" "Memory for one process."
      $ flag "one-core" "All of it on one core (taskset -c 0)."
      $ flag "stress"
          "The stress test instead of the programs: time against the share of \
           stores that other tasks can reach."
      $ flag "all-peers" "Also C++, Go and Java, where they can be built."
      $ value Arg.string "peers" "heap/bench/peers" "DIR" "Where those are."
      $ optional Arg.string "json" "FILE" "Write the rows to this file."
      $ optional Arg.string "plots" "DIR" "Draw the rows, as SVG files.")
  in
  let term =
    Term.(
      const main $ options
      $ flag "list" "List programs and contestants."
      $ optional Arg.file "from" "FILE" "Read rows instead of measuring.")
  in
  Cmd.v
    (Cmd.info "heap-bench" ~doc:"the suite on stock and on the variant")
    term

let () =
  match Cmd.eval ~catch:false command with
  | status -> exit status
  | exception Failure message ->
      Fmt.epr "heap-bench: %s@." message;
      exit 1
