open Bench_core

let flag = "--measure-in-this-process"

let arguments ~scheduler ~bench ~placement ~workers ~cutoff ~n =
  [
    flag;
    scheduler;
    bench;
    string_of_int placement;
    string_of_int workers;
    string_of_int cutoff;
    string_of_int n;
  ]

let print fields = print_endline (Yojson.Safe.to_string (`Assoc fields))

(* Runs shorter than this are warmed up by one run that does not count: page
   faults, the growth of heaps and the start of domains would show in them. *)
let short = 0.1

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

let time session job ~n ~cutoff =
  warm session;
  let ((wall, _, _) as first) = once job ~n ~cutoff in
  let wall, cpu, checksum =
    if wall < short then once job ~n ~cutoff else first
  in
  print
    [
      ("seconds", `Float wall);
      ("cpu_s", `Float cpu);
      ("checksum", `Int checksum);
      ("figures", `Assoc (List.map number (Figures.all ())));
      ( "max_rss_kib",
        match Usage.max_rss_kib () with None -> `Null | Some k -> `Int k );
    ]

let probe probe ~n =
  let figures = probe ~n in
  let rss =
    match Usage.max_rss_kib () with
    | None -> []
    | Some kib -> [ ("max_rss_mib", float_of_int kib /. 1024.) ]
  in
  print [ ("figures", `Assoc (List.map number (figures @ rss))) ]

let measure ~scheduler ~bench ~placement ~workers ~cutoff ~n =
  let contestant =
    List.find (fun c -> c.Contestant.name = scheduler) Roster.contestants
  in
  let session = contestant.start ~workers in
  (match Contestant.find session.jobs bench ~placement with
  | Some job -> time session job ~n ~cutoff
  | None -> (
      match List.assoc_opt bench session.probes with
      | Some p -> probe p ~n
      | None -> print [ ("unsupported", `Bool true) ]));
  session.stop ()

let main = function
  (* If the driver is gone, nobody else would end a measurement that hangs. *)
  | [ scheduler; bench; placement; workers; cutoff; n ] ->
      ignore (Unix.alarm 900);
      measure ~scheduler ~bench ~placement:(int_of_string placement)
        ~workers:(int_of_string workers) ~cutoff:(int_of_string cutoff)
        ~n:(int_of_string n)
  | _ -> failwith "a child process is started by the driver only"
