open Bench_driver

let close = Alcotest.float 1e-9

(* A contestant whose measurement is a line of shell. *)
let shell name ?(parallel = false) ?(placed = false) script =
  {
    Scheduler.name;
    about = "";
    base = "sequential";
    parallel;
    has = (fun _ -> true);
    placed;
    command =
      (fun ~bench:_ ~placement ~workers:_ ~cutoff:_ ~n:_ ->
        [ "/bin/sh"; "-c"; script; "sh"; string_of_int placement ]);
  }

let says ?(checksum = 7) seconds =
  Printf.sprintf "echo '{\"seconds\": %g, \"cpu_s\": 1, \"checksum\": %d}'"
    seconds checksum

let run ?(bench = "fib_nocutoff") ?(n = 20) ?(limit = 5.) ?(runs = 2) schedulers
    =
  let suite = Option.get (Suite.find bench) in
  let size = { Suite.n; cutoffs = [ 0 ] } in
  Runner.run
    {
      schedulers;
      benches = [ (suite, [ size ]) ];
      workers = [ 1; 2 ];
      runs = (fun _ -> runs);
      limit;
      max_rss_mib = 300;
    }
    ~progress:(fun ~done_:_ ~of_:_ _ -> ())
    ~report:(fun _ _ _ -> ())

let row rows scheduler workers =
  List.find
    (fun (r : Row.t) -> r.scheduler = scheduler && r.workers = workers)
    rows

let series ?(count = 16) ~seed ~noise mean =
  let state = Random.State.make [| seed |] in
  List.init count (fun _ ->
      mean *. (1. +. Random.State.float state (2. *. noise) -. noise))

let scaled factor = List.map (fun t -> factor *. t)
let main = Filename.concat (Filename.concat ".." "") "main.exe"

let beside program =
  List.fold_left Filename.concat ".." [ "placements"; program ]

(* The limit finds hangs. The limit does not judge speed, so that a busy machine
   passes. *)
let call arguments =
  match Process.run ~limit:300. ~max_rss_mib:1000 (main :: arguments) with
  | Output { text; _ } -> text
  | Failed why ->
      Alcotest.failf "main.exe %s: %s" (String.concat " " arguments) why

let contains text part =
  let n = String.length part in
  let rec from i =
    i + n <= String.length text && (String.sub text i n = part || from (i + 1))
  in
  from 0
