open Bench_core

let arguments ~scheduler ~bench ~workers ~cutoff ~n =
  [
    scheduler;
    bench;
    string_of_int workers;
    string_of_int cutoff;
    string_of_int n;
  ]

let print fields = print_endline (Yojson.Safe.to_string (`Assoc fields))

(* A run longer than this number of seconds is not repeated. *)
let long = 5.

let warmed_up run ~seconds =
  let first = run () in
  if seconds first > long then first else run ()

let once (job : Contestant.job) ~n ~cutoff =
  let body = job ~n ~cutoff in
  Gc.full_major ();
  let cpu = Usage.cpu () and wall = Usage.now () in
  let finish = body () in
  let wall = Usage.now () -. wall in
  let cpu = Usage.cpu () -. cpu in
  (wall, cpu, finish ())

let warm (session : Contestant.session) =
  match List.assoc_opt "fib" session.jobs with
  | Some fib -> ignore (fib ~n:16 ~cutoff:8 () () : int)
  | None -> ()

let number (name, x) = (name, `Float x)

(* The peak is the peak of the first run: in later runs, the heap may hold the
   old input beside the new one. *)
let time session job ~n ~cutoff =
  warm session;
  let rss = lazy (Usage.max_rss_kib ()) in
  let run () =
    let result = once job ~n ~cutoff in
    ignore (Lazy.force rss : int option);
    result
  in
  let wall, cpu, checksum = warmed_up run ~seconds:(fun (wall, _, _) -> wall) in
  print
    [
      ("seconds", `Float wall);
      ("cpu_s", `Float cpu);
      ("checksum", `Int checksum);
      ("figures", `Assoc (List.map number (Figures.all ())));
      ( "max_rss_kib",
        match Lazy.force rss with None -> `Null | Some k -> `Int k );
    ]

let probe probe ~n =
  let figures = probe ~n in
  let rss =
    match Usage.max_rss_kib () with
    | None -> []
    | Some kib -> [ ("max_rss_mib", float_of_int kib /. 1024.) ]
  in
  print [ ("figures", `Assoc (List.map number (figures @ rss))) ]

(* A run without clocks, repetition or checksum, for tools that count the
   instructions of the process. The input must be alive during the collection,
   both with the run and without; otherwise the count of the run would include
   work of the collector. Therefore the compiler must not know [run]. *)
let counted ~run session (job : Contestant.job) ~n ~cutoff =
  warm session;
  let body = job ~n ~cutoff in
  Gc.full_major ();
  if Sys.opaque_identity run then ignore (body () : unit -> int)

type mode = Measure | Once | Only_input

let mode_of = function
  | "--once" :: rest -> (Once, rest)
  | "--only-input" :: rest -> (Only_input, rest)
  | arguments -> (Measure, arguments)

let unsupported () = print [ ("unsupported", `Bool true) ]

let measure mode ~scheduler ~bench ~workers ~cutoff ~n =
  let contestant =
    match
      List.find_opt (fun c -> c.Contestant.name = scheduler) Roster.contestants
    with
    | Some contestant -> contestant
    | None -> failwith ("no contestant is called " ^ scheduler)
  in
  let session = contestant.start ~workers in
  (match (List.assoc_opt bench session.jobs, mode) with
  | Some job, Measure -> time session job ~n ~cutoff
  | Some job, Once -> counted ~run:true session job ~n ~cutoff
  | Some job, Only_input -> counted ~run:false session job ~n ~cutoff
  | None, (Once | Only_input) ->
      failwith (scheduler ^ " has no job called " ^ bench)
  | None, Measure -> (
      match List.assoc_opt bench session.probes with
      | Some p -> probe p ~n
      | None -> unsupported ()));
  session.stop ()

let usage () =
  prerr_endline
    "The lab (bench/main.exe) starts this program for a measurement: \
     [--once|--only-input] CONTESTANT BENCHMARK WORKERS CUTOFF N";
  exit 2

let main () =
  let mode, arguments = mode_of (List.tl (Array.to_list Sys.argv)) in
  match arguments with
  | [ scheduler; bench; workers; cutoff; n ] -> (
      match
        ( int_of_string_opt workers,
          int_of_string_opt cutoff,
          int_of_string_opt n )
      with
      | Some workers, Some cutoff, Some n -> (
          (* Ends a hanging measurement even if the driver is gone. *)
          ignore (Unix.alarm 900);
          match measure mode ~scheduler ~bench ~workers ~cutoff ~n with
          | () -> ()
          | exception Failure why ->
              prerr_endline why;
              exit 2)
      | _ -> usage ())
  | _ -> usage ()
