open Bench_driver
open Heap_bench

type options = {
  repeats : int option;
  divide : int;
  no_pauses : bool;
  one_core : bool;
  stress : bool;
  peers : string;
}

let limit (asked : Asked.t) = Option.value asked.limit ~default:120.

let chosen what name all wanted =
  let find w = List.find_opt (fun x -> name x = w) all in
  let known = List.map name all in
  if wanted = [] then all else List.map (Asked.named ~what ~known find) wanted

let program_name (p : Heap_suite.Program.t) = p.name
let contestant_name (c : Contestants.t) = c.scheduler.name

(* The programs are in the build tree. The package dromos-bench installs the
   command without them: there the command only reads rows and draws them. *)
let programs =
  List.fold_left Filename.concat
    (Filename.dirname Sys.executable_name)
    [ Filename.parent_dir_name; "heap"; "bench" ]

let contestants (asked : Asked.t) o =
  Contestants.all
    {
      programs;
      prefix = (if o.one_core then [ "taskset"; "-c"; "0" ] else []);
      repeats = Option.value o.repeats ~default:(if asked.quick then 2 else 3);
      limit = limit asked;
      peers = (if asked.all_peers then Some o.peers else None);
    }

let list asked o =
  let all, missing = contestants asked o in
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

(* {1 Measurements} *)

let comparison programs all (asked : Asked.t) o : Comparison.asked =
  let divide = o.divide * if asked.quick then 10 else 1 in
  {
    contestants = chosen "contestant" contestant_name all asked.contestants;
    programs;
    size = (fun p -> max p.tiny (p.size / divide));
    workers =
      Option.value asked.workers
        ~default:(if asked.quick then [ 1; 2 ] else [ 1; 2; 4 ]);
    runs = Option.value asked.runs ~default:(if asked.quick then 1 else 3);
    observe = not o.no_pauses;
    limit = limit asked;
    max_rss_mib = Option.value asked.max_rss_mib ~default:8192;
  }

let percentages = List.init 11 (fun i -> 10 * i)

let measure comparison o progress =
  if o.one_core then Fmt.pr "All on one core.@.";
  if o.stress then Series.run comparison ~percentages ~progress
  else
    Comparison.run comparison ~progress ~report:(fun rows ->
        Progress_line.clear ();
        Tables.program Fmt.stdout rows)

let prepare (asked : Asked.t) o () =
  let programs =
    chosen "program" program_name Heap_suite.Programs.all asked.only
  in
  let all, missing = contestants asked o in
  if all = [] then
    failwith
      "the programs of this suite are not built: dune build --profile release \
       ./bench/main.exe ./heap/bench, and run bench/main.exe in the build tree";
  (missing, measure (comparison programs all asked o) o)

(* {1 Results} *)

let show ~stress ~others =
  if stress <> [] then Series.print Fmt.stdout stress;
  if others <> [] then begin
    Tables.paper Fmt.stdout others;
    Tables.summary Fmt.stdout others
  end

let draw dir ~stress ~others =
  (if stress = [] then [] else Series.draw ~dir stress)
  @ if others = [] then [] else Pictures.draw ~dir others

let has bench =
  let named (p : Heap_suite.Program.t) = p.name = bench in
  bench = Series.bench || List.exists named Heap_suite.Programs.all

let failed (r : Row.t) = r.failure <> None
let of_other bench = (not (has bench)) && Option.is_some (Suite.find bench)

let run (asked : Asked.t) o =
  let rows = Asked.rows asked ~of_other ~suite:"heap" (prepare asked o) in
  let stress, others =
    List.partition (fun (r : Row.t) -> r.bench = Series.bench) rows
  in
  (* First of all: the reader of standard output may leave. *)
  Option.iter (fun file -> Row.write file rows) asked.json;
  show ~stress ~others;
  Option.iter (fun dir -> Asked.wrote (draw dir ~stress ~others)) asked.plots;
  if List.exists failed rows then failwith "some measurements failed"
