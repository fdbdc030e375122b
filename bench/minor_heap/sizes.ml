(* Time and memory of each program at each size of the minor heap. Each
   measurement is a process; the cases take turns. sizes.exe --help lists the
   options. *)

let workers = ref 2
let rounds = ref 7
let busy = ref 0.
let blocked = ref 0
let sizes = ref "256k,1M,4M,8M"
let only = ref ""
let one = ref ""
let refuse format = Printf.ksprintf (fun text -> raise (Arg.Bad text)) format

let at_least least option cell n =
  if n < least then refuse "%s: %d is less than %d" option n least
  else cell := n

let share x =
  if x >= 0. && x <= 1. then busy := x
  else refuse "--busy: %g is not from 0 to 1" x

let options =
  [
    ("--workers", Arg.Int (at_least 1 "--workers" workers), "N workers (2)");
    ( "--rounds",
      Arg.Int (at_least 1 "--rounds" rounds),
      "N turns, of which the least and the median are printed (7)" );
    ( "--busy",
      Arg.Float share,
      "SHARE beside a process that takes so much of one core, 0 to 1 (0)" );
    ( "--blocked",
      Arg.Int (at_least 0 "--blocked" blocked),
      "N beside N domains of the program that sleep all the time (0)" );
    ("--sizes", Arg.Set_string sizes, "LIST of words (256k,1M,4M,8M)");
    ("--only", Arg.Set_string only, "LIST of programs (all)");
    ("--one", Arg.Set_string one, "PROGRAM:WORDS prints one measurement");
  ]

let words text =
  let n = String.length text - 1 in
  let scaled shift =
    Option.map (fun n -> n lsl shift) (int_of_string_opt (String.sub text 0 n))
  in
  let found =
    if n < 0 then None
    else
      match text.[n] with
      | 'k' -> scaled 10
      | 'M' -> scaled 20
      | _ -> int_of_string_opt text
  in
  match found with
  | Some words when words >= 4096 && words <= 1 lsl 27 -> words
  | Some _ | None ->
      refuse "--sizes: %S is not a number of words from 4096 to 128M" text

(* {1 One measurement} *)

let sleeping_domain () =
  ignore (Domain.spawn (fun () -> Unix.sleep 1000) : unit Domain.t)

let measure text =
  let name, minor_heap_words = Scanf.sscanf text "%s@:%d" (fun a b -> (a, b)) in
  let program = List.assoc name Programs.all in
  for _ = 1 to !blocked do
    sleeping_domain ()
  done;
  Dromos.run ~workers:!workers ~minor_heap_words (fun () ->
      ignore (program () : int);
      let wall = Unix.gettimeofday () and cpu = Sys.time () in
      let before = (Dromos.stats ()).minor in
      ignore (program () : int);
      let wall = Unix.gettimeofday () -. wall and cpu = Sys.time () -. cpu in
      let after = (Dromos.stats ()).minor in
      Printf.printf "%f %f %d %f %d\n%!" wall cpu
        (after.collections - before.collections)
        (after.stopped -. before.stopped)
        (Option.value (Bench_core.Usage.max_rss_kib ()) ~default:0));
  Unix._exit 0

(* {1 All measurements} *)

type row = {
  wall : float;
  cpu : float;
  collections : int;
  stopped : float;
  kib : int;
}

let child name words =
  let arguments =
    [|
      Sys.executable_name;
      "--one";
      Printf.sprintf "%s:%d" name words;
      "--workers";
      string_of_int !workers;
      "--blocked";
      string_of_int !blocked;
    |]
  in
  let out = Unix.open_process_args_in Sys.executable_name arguments in
  let line = In_channel.input_all out in
  match Unix.close_process_in out with
  | WEXITED 0 ->
      Scanf.sscanf line "%f %f %d %f %d"
        (fun wall cpu collections stopped kib ->
          { wall; cpu; collections; stopped; kib })
  | WEXITED _ | WSIGNALED _ | WSTOPPED _ ->
      failwith (Printf.sprintf "%s with %d words failed" name words)

(* A process that computes for the share [!busy] of each 10 ms. *)
let keep_busy () =
  let rec round from =
    while Unix.gettimeofday () < from +. (0.01 *. !busy) do
      ()
    done;
    if !busy < 1. then Unix.sleepf (0.01 *. (1. -. !busy));
    round (Unix.gettimeofday ())
  in
  round (Unix.gettimeofday ())

let beside_busy f =
  if !busy <= 0. then f ()
  else
    match Unix.fork () with
    | 0 -> keep_busy ()
    | pid ->
        Fun.protect f ~finally:(fun () ->
            Unix.kill pid Sys.sigkill;
            ignore (Unix.waitpid [] pid))

let best field rows = List.fold_left Float.min infinity (List.map field rows)

let middle field rows =
  List.nth (List.sort Float.compare (List.map field rows)) (!rounds / 2)

let print (name, size) rows =
  Printf.printf "%-8s %5s %8.3f %8.3f %8.3f %8.3f %7.0f %5.0f %8.1f\n%!" name
    size
    (best (fun r -> r.wall) rows)
    (middle (fun r -> r.wall) rows)
    (best (fun r -> r.cpu) rows)
    (middle (fun r -> r.cpu) rows)
    (middle (fun r -> float r.collections) rows)
    (middle (fun r -> 100. *. r.stopped /. r.wall) rows)
    (best (fun r -> float r.kib) rows /. 1024.)

let list text = String.split_on_char ',' text

let program name =
  if not (List.mem_assoc name Programs.all) then
    refuse "--only: no program %S; there are %s" name
      (String.concat ", " (List.map fst Programs.all))

let compare_all () =
  let names = if !only = "" then List.map fst Programs.all else list !only in
  List.iter program names;
  let cases =
    List.concat_map
      (fun name -> List.map (fun size -> (name, size)) (list !sizes))
      names
  in
  let sized = List.map (fun (name, size) -> (name, words size)) cases in
  let round () = List.map (fun (name, words) -> child name words) sized in
  let rounds = List.init !rounds (fun _ -> round ()) in
  Printf.printf
    "%d workers, %.1f of a core busy, %d blocked domains; seconds (least, \
     median), share of the time in collections, MiB\n"
    !workers !busy !blocked;
  Printf.printf "%-8s %5s %8s %8s %8s %8s %7s %5s %8s\n" "program" "words"
    "wall" "" "cpu" "" "minor" "%" "peak";
  List.iteri
    (fun i case -> print case (List.map (fun round -> List.nth round i) rounds))
    cases

let () =
  Arg.parse options
    (fun extra -> raise (Arg.Bad (extra ^ ": no such argument")))
    "sizes.exe [OPTIONS]\n\
     Runs five programs that allocate at several sizes of the minor heap, and \
     prints time,\n\
     minor collections, their share of the time, and peak memory\n\
     (doc/allocation.md).";
  if !one <> "" then measure !one
  else
    try beside_busy compare_all
    with Arg.Bad text ->
      prerr_endline ("sizes.exe: " ^ text);
      exit 2
