(* The events lie in a file in a folder of its own, mapped by the program and by the
   driver. The driver reads the events every two milliseconds; a ring holds many more
   events of a domain than arrive in two milliseconds. *)

open Runtime_events

type seen = {
  output : string;
  said : string;
  stops : Stops.summary;
  lost : int;
}

let log2_words_of_ring = 18

(* {1 The program} *)

let added name what =
  match Sys.getenv_opt name with
  | None | Some "" -> what
  | Some others -> others ^ "," ^ what

let environment dir =
  let ours =
    [
      ("OCAML_RUNTIME_EVENTS_START", "1");
      ("OCAML_RUNTIME_EVENTS_PRESERVE", "1");
      ("OCAML_RUNTIME_EVENTS_DIR", dir);
      ( "OCAMLRUNPARAM",
        added "OCAMLRUNPARAM" (Printf.sprintf "e=%d" log2_words_of_ring) );
    ]
  in
  let kept line =
    not
      (List.exists
         (fun (name, _) -> String.starts_with ~prefix:(name ^ "=") line)
         ours)
  in
  Array.append
    (Array.of_list (List.filter kept (Array.to_list (Unix.environment ()))))
    (Array.of_list (List.map (fun (name, v) -> name ^ "=" ^ v) ours))

let start dir command =
  let file name =
    Unix.openfile (Filename.concat dir name)
      [ O_RDWR; O_CREAT; O_CLOEXEC ]
      0o600
  in
  let out = file "out" and err = file "err" in
  let argv = Array.of_list command in
  Fun.protect ~finally:(fun () -> List.iter Unix.close [ out; err ])
  @@ fun () ->
  Unix.create_process_env argv.(0) argv (environment dir) Unix.stdin out err

let ended pid =
  match Unix.waitpid [ WNOHANG ] pid with
  | 0, _ -> None
  | _, status -> Some status
  | exception Unix.Unix_error (EINTR, _, _) -> None

(* {1 Its events} *)

let callbacks stops lost =
  let at = Timestamp.to_int64 in
  let begins domain time = function
    | EV_DOMAIN_CONDITION_WAIT -> ()
    | _ -> Stops.phase_begins stops ~domain ~at:(at time)
  and ends domain time = function
    | EV_DOMAIN_CONDITION_WAIT -> ()
    | _ -> Stops.phase_ends stops ~domain ~at:(at time)
  in
  let span _ time event (edge : Type.span) =
    if User.name event = Heap_suite.Watched.span_name then
      match edge with
      | Begin -> Stops.run_begins stops ~at:(at time)
      | End -> Stops.run_ends stops ~at:(at time)
  in
  Callbacks.create ~runtime_begin:begins ~runtime_end:ends
    ~lost_events:(fun _ n -> lost := !lost + n)
    ()
  |> Callbacks.add_user_event Type.span span

(* The reading state for one program. *)
type reader = {
  stops : Stops.t;
  lost : int ref;
  cursor : cursor;
  callbacks : Callbacks.t;
}

let reader_of cursor =
  let stops = Stops.create () in
  let lost = ref 0 in
  { stops; lost; cursor; callbacks = callbacks stops lost }

(* The file appears a moment after the program's start, and is filled a moment later. A
   reader that comes between finds the file corrupt, and tries again. *)
let read dir pid reader =
  match reader with
  | None -> (
      match create_cursor (Some (dir, pid)) with
      | cursor -> Some (reader_of cursor)
      | exception Failure _ -> None)
  | Some r -> (
      match read_poll r.cursor r.callbacks None with
      | _ -> reader
      | exception Failure _ ->
          free_cursor r.cursor;
          None)

let follow ~limit dir pid =
  let until = Unix.gettimeofday () +. limit in
  let rec loop reader =
    let reader = read dir pid reader in
    match ended pid with
    | Some status ->
        let opened =
          if Option.is_none reader then read dir pid None else reader
        in
        (read dir pid opened, Ok status)
    | None when Unix.gettimeofday () > until ->
        Unix.kill pid Sys.sigkill;
        ignore (Unix.waitpid [] pid);
        (reader, Error (Printf.sprintf "over %g s" limit))
    | None ->
        Unix.sleepf 0.002;
        loop reader
  in
  loop None

(* {1 Program and events} *)

let contents dir name =
  In_channel.with_open_bin (Filename.concat dir name) In_channel.input_all

let seen dir reader =
  let stops, lost =
    match reader with
    | Some r ->
        free_cursor r.cursor;
        (r.stops, !(r.lost))
    | None -> (Stops.create (), 0)
  in
  {
    output = contents dir "out";
    said = contents dir "err";
    stops = Stops.summary stops;
    lost;
  }

let run ~limit command =
  let dir = Filename.temp_dir "dromos-watch" "" in
  Bench_driver.Interrupted.protect ~finally:(fun () ->
      Bench_driver.Folders.remove dir)
  @@ fun () ->
  let watched pid =
    let reader, status = follow ~limit dir pid in
    let seen = seen dir reader in
    match status with
    | Error why -> Error why
    | Ok (WEXITED 0) -> Ok seen
    | Ok (WEXITED n) -> Error (Printf.sprintf "exit status %d: %s" n seen.said)
    | Ok (WSIGNALED _ | WSTOPPED _) -> Error ("killed by a signal: " ^ seen.said)
  in
  match
    Bench_driver.Interrupted.with_child (fun () -> start dir command) watched
  with
  | Ok result -> result
  | Error e -> Error (List.hd command ^ ": " ^ Unix.error_message e)
