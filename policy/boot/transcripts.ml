open Transcript

let scheduler_name = function Kernel -> "kernel" | Policy -> "policy"

(* Kinds up to 64 are SCX_EXIT_DONE and SCX_EXIT_UNREG: the loader ended the
   scheduler. *)
let put_out exit = exit.kind > 64

(* {1 Fields} *)

exception Not_understood

(* The last field may have spaces: a word without an equals sign continues the
   field before. *)
let fields text =
  let rec more known = function
    | [] -> known
    | word :: rest -> (
        match (String.index_opt word '=', known) with
        | Some i, _ ->
            let key = String.sub word 0 i in
            let value = String.sub word (i + 1) (String.length word - i - 1) in
            if key = "text" || key = "error" then
              (key, String.concat " " (value :: rest)) :: known
            else more ((key, value) :: known) rest
        | None, (key, value) :: others ->
            more ((key, value ^ " " ^ word) :: others) rest
        | None, [] -> raise Not_understood)
  in
  more [] text

let text known key =
  match List.assoc_opt key known with
  | Some value -> value
  | None -> raise Not_understood

let read of_string known key =
  match of_string (text known key) with
  | Some value -> value
  | None -> raise Not_understood

let int known key = read int_of_string_opt known key
let flag known key = int known key <> 0
let seconds known key = read float_of_string_opt known key /. 1e9
let sensible x = if x < 0. then None else Some x
let counted n = if n < 0 then None else Some n

let scheduler known =
  match text known "scheduler" with
  | "kernel" -> Kernel
  | "policy" -> Policy
  | _ -> raise Not_understood

(* {1 Lines} *)

let start known =
  {
    workload = text known "workload";
    scheduler = scheduler known;
    result = None;
    code = -1;
    in_time = false;
    run_elapsed = 0.;
    run_cpu = 0.;
    migrations = None;
    switches = None;
    enabled = false;
    trace = None;
    over = false;
  }

let result known =
  {
    name = text known "name";
    threads = int known "threads";
    work = float_of_int (int known "work");
    elapsed = seconds known "elapsed_ns";
    cpu = seconds known "cpu_ns";
    least = sensible (seconds known "least_ns");
    most = sensible (seconds known "most_ns");
    longest_wait = sensible (seconds known "longest_wait_ns");
  }

let finish run known =
  {
    run with
    over = true;
    code = int known "code";
    in_time = flag known "in_time";
    run_elapsed = seconds known "elapsed_ns";
    run_cpu = seconds known "cpu_ns";
    migrations = counted (int known "migrations");
    switches = counted (int known "switches");
    enabled = flag known "enabled";
  }

let loading =
  {
    programs = [];
    attached = None;
    ops = None;
    refused = None;
    log = [];
    exit = None;
    gone = None;
    restarted = false;
  }

(* The newest run and the newest loading come first while lines are read. *)
let in_run t f =
  match t.runs with
  | run :: before -> { t with runs = f run :: before }
  | [] -> raise Not_understood

let in_loading t f =
  match t.loadings with
  | ({ gone = None; restarted = false; _ } as last) :: before ->
      { t with loadings = f last :: before }
  | loadings -> { t with loadings = f loading :: loadings }

let in_exit t f =
  in_loading t (fun l ->
      match l.exit with
      | Some exit -> { l with exit = Some (f exit) }
      | None -> raise Not_understood)

let understood t word rest words =
  match word with
  | "guest" ->
      let k = fields words in
      let guest =
        {
          cpus = int k "cpus";
          sched_ext = flag k "sched_ext";
          btf = flag k "btf";
          tracing = flag k "tracing";
          kernel = text k "kernel";
        }
      in
      { t with guest = Some guest }
  | "calibrated" ->
      { t with units = Some (float_of_int (int (fields words) "units")) }
  | "run" -> { t with runs = start (fields words) :: t.runs }
  | "result" ->
      let result = result (fields words) in
      in_run t (fun run -> { run with result = Some result })
  | "done" ->
      let k = fields words in
      in_run t (fun run -> finish run k)
  | "trace" ->
      let k = fields words in
      let trace =
        { bytes = int k "bytes"; lost = int k "lost"; whole = flag k "whole" }
      in
      in_run t (fun run -> { run with trace = Some trace })
  | "program" ->
      let k = fields words in
      let program = (text k "name", int k "insns") in
      in_loading t (fun l -> { l with programs = l.programs @ [ program ] })
  | "attached" ->
      let k = fields words in
      let times = (seconds k "load_ns", seconds k "attach_ns") in
      in_loading t (fun l -> { l with attached = Some times })
  | "refused" ->
      let k = fields words in
      let refused = (text k "what", text k "error") in
      in_loading t (fun l -> { l with refused = Some refused })
  | "log" -> in_loading t (fun l -> { l with log = l.log @ [ rest ] })
  | "exit" ->
      let k = fields words in
      let exit =
        { kind = int k "kind"; code = int k "code"; reason = ""; message = [] }
      in
      in_loading t (fun l -> { l with exit = Some exit })
  | "exit_reason" -> in_exit t (fun e -> { e with reason = rest })
  | "exit_message" ->
      in_exit t (fun e -> { e with message = e.message @ [ rest ] })
  | "loader" ->
      let gone =
        match fields words with
        | [ ("gone", _) ] as k -> int k "gone"
        | k -> 128 + int k "killed"
      in
      in_loading t (fun l -> { l with gone = Some gone })
  | "ops" -> in_loading t (fun l -> { l with ops = Some rest })
  | "restarted" -> in_loading t (fun l -> { l with restarted = true })
  | "note" -> { t with notes = text (fields words) "text" :: t.notes }
  | "state" -> t
  | "end" -> { t with ended = true }
  | _ -> raise Not_understood

let take t line =
  let word, rest =
    match String.index_opt line ' ' with
    | Some i ->
        ( String.sub line 0 i,
          String.sub line (i + 1) (String.length line - i - 1) )
    | None -> (line, "")
  in
  let words = List.filter (fun w -> w <> "") (String.split_on_char ' ' rest) in
  try understood t word rest words
  with Not_understood -> { t with notes = line :: t.notes }

let nothing =
  {
    guest = None;
    units = None;
    runs = [];
    loadings = [];
    notes = [];
    ended = false;
  }

let of_lines lines =
  let t = List.fold_left take nothing (List.filter (fun l -> l <> "") lines) in
  {
    t with
    runs = List.rev t.runs;
    loadings = List.rev t.loadings;
    notes = List.rev t.notes;
  }
