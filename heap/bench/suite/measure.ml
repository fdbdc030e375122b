(* The input is made and collected once. Runs follow each other without a collection
   between, so each run pays for the garbage of the run before. *)

open Bench_core

type asked = {
  mutable program : string;
  mutable workers : int;
  mutable size : int option;
  mutable runs : int;
  mutable sequential : bool;
}

let usage = "measure PROGRAM [--workers N] [--size N] [--runs N] [--sequential]"

let asked () =
  let a =
    { program = ""; workers = 1; size = None; runs = 1; sequential = false }
  in
  let options =
    [
      ("--workers", Arg.Int (fun n -> a.workers <- n), "N domains (1)");
      ("--size", Int (fun n -> a.size <- Some n), "N instead of its own");
      ("--runs", Int (fun n -> a.runs <- n), "N runs in this process (1)");
      ( "--sequential",
        Unit (fun () -> a.sequential <- true),
        " the sequential elision" );
    ]
  in
  Arg.parse options (fun name -> a.program <- name) usage;
  a

(* Marks the runs for an observer; work outside the runs does not count. *)
type Runtime_events.User.tag += Run

let span =
  Runtime_events.User.register Watched.span_name Run Runtime_events.Type.span

type run = { seconds : float; cpu : float; checksum : int }

let once (job : Program.job) =
  Runtime_events.User.write span Begin;
  let cpu = Usage.cpu () and began = Usage.now () in
  let result = job () in
  let seconds = Usage.now () -. began and cpu = Usage.cpu () -. cpu in
  Runtime_events.User.write span End;
  { seconds; cpu; checksum = result () }

let several n job =
  let rec go k =
    if k = 0 then []
    else
      let run = once job in
      run :: go (k - 1)
  in
  go n

(* {1 The collector's work}, in all domains, per run *)

let count name n = (name, float_of_int n)
let per runs (name, x) = (name, x /. float_of_int runs)

let collected (before : Gc.stat) (after : Gc.stat) =
  [
    count "minor_collections"
      (after.minor_collections - before.minor_collections);
    count "major_collections"
      (after.major_collections - before.major_collections);
    ("minor_words", after.minor_words -. before.minor_words);
    ("promoted_words", after.promoted_words -. before.promoted_words);
  ]

(* Figures that only the heap variant has. *)
let of_leaves runs (before : Dromos_heap.stats) (after : Dromos_heap.stats) =
  let more f = f after - f before in
  let pauses (s : Dromos_heap.stats) = s.young.seconds +. s.full.seconds in
  let lived = after.lived -. before.lived in
  let counted =
    [
      count "entangled_bytes" (more (fun s -> s.entangled));
      count "publications" (more (fun s -> s.publications));
      count "young_collections" (more (fun s -> s.young.count));
      count "full_collections" (more (fun s -> s.full.count));
      count "global_collections" (more (fun s -> s.global.count));
      count "cycles" (more (fun s -> s.cycles));
      count "splits" (more (fun s -> s.splits));
      count "merges" (more (fun s -> s.merges));
    ]
  in
  List.map (per runs) counted
  @ [
      count "most_pinned_bytes" after.most_pinned;
      count "most_held_bytes" after.most_held;
      ("leaf_share", (pauses after -. pauses before) /. lived);
    ]

let meanwhile ~runs f =
  let gc = Gc.quick_stat () and leaves = Dromos_heap.stats () in
  let result = f () in
  let figures = List.map (per runs) (collected gc (Gc.quick_stat ())) in
  match (leaves, Dromos_heap.stats ()) with
  | Some before, Some after -> (result, figures @ of_leaves runs before after)
  | _ -> (result, figures)

let line a size runs figures : Yojson.Safe.t =
  let floats f = `List (List.map (fun r -> `Float (f r)) runs) in
  let rss =
    match Usage.max_rss_kib () with Some kib -> `Int kib | None -> `Null
  in
  `Assoc
    [
      ("program", `String a.program);
      ("size", `Int size);
      ("workers", `Int (if a.sequential then 0 else a.workers));
      ("seconds", floats (fun r -> r.seconds));
      ("cpu_s", floats (fun r -> r.cpu));
      ("max_rss_kib", rss);
      ("checksum", `Int (List.hd runs).checksum);
      ("figures", `Assoc (List.map (fun (k, x) -> (k, `Float x)) figures));
    ]

let measure a (program : Program.t) =
  let size = Option.value a.size ~default:program.size in
  let prepared = program.prepare size in
  Gc.full_major ();
  let all () =
    if a.sequential then several a.runs (prepared Forks.sequential)
    else
      Dromos.run ~workers:a.workers (fun () ->
          several a.runs (prepared Forks.dromos))
  in
  let runs, figures = meanwhile ~runs:a.runs all in
  let first = List.hd runs in
  if List.exists (fun r -> r.checksum <> first.checksum) runs then
    failwith "the runs have different results";
  line a size runs figures

let main () =
  (* Ends a process that hangs, even if its parent has ended. *)
  ignore (Unix.alarm 900 : int);
  let a = asked () in
  match Programs.find a.program with
  | Some program when a.runs > 0 ->
      print_endline (Yojson.Safe.to_string (measure a program))
  | _ ->
      prerr_endline usage;
      List.iter
        (fun (p : Program.t) -> Printf.eprintf "  %-16s %s\n" p.name p.about)
        Programs.all;
      exit 2
