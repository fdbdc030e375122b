(* Runs each program in two builds, in turn, and compares the wall times: see [run.sh]. *)

module Interrupted = Bench_driver.Interrupted
module Paired = Bench_driver.Paired
module Process = Bench_driver.Process
module Table = Bench_driver.Table
module Verdict = Bench_driver.Verdict

type program = { name : string; full : string; quick : string; same : bool }

let fail fmt =
  Printf.ksprintf
    (fun line ->
      prerr_endline ("compare: " ^ line);
      exit 2)
    fmt

let programs file =
  let parse number line =
    match String.split_on_char ' ' line |> List.filter (( <> ) "") with
    | [] -> None
    | first :: _ when first.[0] = '#' -> None
    | [ name; full; quick; prints ] ->
        Some { name; full; quick; same = prints = "same" }
    | _ ->
        fail "%s:%d: expected a program, two sizes and what it prints" file
          (number + 1)
  in
  In_channel.with_open_text file In_channel.input_lines
  |> List.mapi parse |> List.filter_map Fun.id

(* {1 One run} *)

let limit = 120.

(* Seconds; the program's output is dropped. *)
let time command =
  let null = Unix.openfile "/dev/null" [ O_RDWR; O_CLOEXEC ] 0 in
  let began = Unix.gettimeofday () in
  let start () =
    Unix.create_process (List.hd command) (Array.of_list command) null null
      Unix.stderr
  in
  let status = Interrupted.with_child start (Unix.waitpid []) in
  let took = Unix.gettimeofday () -. began in
  Unix.close null;
  match status with
  | Ok (_, WEXITED 0) -> Ok took
  | Ok (_, WEXITED n) -> Error (Printf.sprintf "exit status %d" n)
  | Ok (_, (WSIGNALED _ | WSTOPPED _)) -> Error "ended by a signal"
  | Error e -> Error (List.hd command ^ ": " ^ Unix.error_message e)

let look command = Process.run ~limit ~max_rss_mib:8192 command

(* {1 A program} *)

type sides = { ours : string list; theirs : string list }
(* The commands of one placement. *)

type row = {
  program : program;
  workers : int;
  result : (Paired.t * float * float, string) result;
      (* the times, the median seconds of Domainslib, and the ratio of peak memory *)
}

(* A program that ends before the first sample has no peak. *)
let memory_ratio ours theirs =
  if Int.min ours theirs < 1024 then Float.nan
  else float_of_int ours /. float_of_int theirs

let memory { same; _ } sides =
  match (look sides.ours, look sides.theirs) with
  | Failed why, _ -> Error ("with Dromos: " ^ why)
  | _, Failed why -> Error ("with Domainslib: " ^ why)
  | Output ours, Output theirs ->
      if same && ours.text <> theirs.text then
        Error "with Dromos it prints something else"
      else Ok (memory_ratio ours.max_rss_kib theirs.max_rss_kib)

(* Round [n] uses placement [n]. The order of the two sides changes from round to
   round. *)
let rec rounds placed n own peer =
  let ( let* ) = Result.bind in
  if n = 0 then Ok (List.rev own, List.rev peer)
  else
    let sides = placed n in
    let both first second =
      let* a = time first in
      let* b = time second in
      Ok (a, b)
    in
    let* o, p =
      if n land 1 = 0 then both sides.ours sides.theirs
      else Result.map (fun (p, o) -> (o, p)) (both sides.theirs sides.ours)
    in
    rounds placed (n - 1) (o :: own) (p :: peer)

let measure placed program runs =
  let ( let* ) = Result.bind in
  let* memory = memory program (placed 0) in
  let* own, peer = rounds placed runs [] [] in
  match Paired.compare ~own ~peer with
  | Some times -> Ok (times, Bench_driver.Stats.median peer, memory)
  | None -> Error "no times"

let command folder program ~quick workers n =
  let placement = n mod Bench_driver.Placement.count in
  Filename.concat folder (Printf.sprintf "%s_at_%d.exe" program.name placement)
  :: string_of_int workers
  :: String.split_on_char ',' (if quick then program.quick else program.full)

(* {1 The table} *)

let number = Printf.sprintf "%.3f"

let cells { program; workers; result } =
  let head = [ program.name; string_of_int workers ] in
  head
  @
  match result with
  | Error why -> [ "-"; "-"; "-"; "-"; "-"; why ]
  | Ok (times, seconds, memory) ->
      [
        number seconds;
        number times.ratio;
        number times.low;
        number times.high;
        (if Float.is_nan memory then "-" else Printf.sprintf "%.2f" memory);
        Verdict.words times;
      ]

let header =
  [
    "program";
    "workers";
    "Domainslib s";
    "ratio";
    "low";
    "high";
    "memory";
    "verdict";
  ]

let () =
  Interrupted.handle_signals ();
  let file = ref "" and ours = ref "" and theirs = ref "" in
  let runs = ref 8 and workers = ref "1,2" and quick = ref false in
  let wanted = ref [] in
  Arg.parse
    [
      ("--programs", Arg.Set_string file, "FILE of programs and sizes");
      ("--dromos", Arg.Set_string ours, "FOLDER of those built over Dromos");
      ("--domainslib", Arg.Set_string theirs, "FOLDER of the others");
      ("--runs", Arg.Set_int runs, "N of each (8)");
      ("--workers", Arg.Set_string workers, "LIST of their numbers (1,2)");
      ("--quick", Arg.Set quick, " sizes a tenth as long");
    ]
    (fun name -> wanted := name :: !wanted)
    "compare --programs FILE --dromos FOLDER --domainslib FOLDER [PROGRAM ..]";
  let all = programs !file in
  let is_wanted p = !wanted = [] || List.mem p.name !wanted in
  List.iter
    (fun name ->
      if not (List.exists (fun p -> p.name = name) all) then
        fail "%s is not in %s" name !file)
    !wanted;
  if !runs < 1 then fail "--runs: %d is no number of runs" !runs;
  let workers =
    List.map
      (fun n ->
        match int_of_string_opt n with
        | Some n when n >= 1 -> n
        | Some _ | None -> fail "--workers: %S is no number of workers" n)
      (String.split_on_char ',' !workers)
  in
  let row program workers =
    Printf.eprintf "%s, %d\n%!" program.name workers;
    let quick = !quick in
    let placed n =
      let of_folder folder = command folder program ~quick workers n in
      { ours = of_folder !ours; theirs = of_folder !theirs }
    in
    { program; workers; result = measure placed program !runs }
  in
  let rows =
    List.concat_map
      (fun p -> List.map (row p) workers)
      (List.filter is_wanted all)
  in
  Table.print_cells ~last_left:true Fmt.stdout ~left:1
    (header :: List.map cells rows);
  Fmt.flush Fmt.stdout ();
  if List.exists (fun r -> Result.is_error r.result) rows then exit 1
