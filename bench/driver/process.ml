type outcome =
  | Output of { text : string; max_rss_kib : int; others : float }
  | Failed of string

let resident_kib pid =
  match open_in (Printf.sprintf "/proc/%d/status" pid) with
  | exception Sys_error _ -> 0
  | ic ->
      let rec look () =
        match input_line ic with
        | exception (End_of_file | Sys_error _) -> 0
        | line -> (
            try Scanf.sscanf line "VmRSS: %d kB" Fun.id
            with Scanf.Scan_failure _ | End_of_file | Failure _ -> look ())
      in
      Fun.protect ~finally:(fun () -> close_in ic) look

let first_line file =
  ignore (Unix.lseek file 0 SEEK_SET : int);
  match In_channel.input_line (Unix.in_channel_of_descr file) with
  | Some line -> ": " ^ line
  | None -> ""

(* An open file without a name: nothing is left to remove. *)
let nameless () =
  let path = Filename.temp_file "bench" ".err" in
  Fun.protect
    (fun () -> Unix.openfile path [ O_RDWR; O_CLOEXEC ] 0o600)
    ~finally:(fun () -> Sys.remove path)

(* Reads until the end of file, and watches the clock and the memory meanwhile.
   The result is the reason if the program has to be killed. *)
let follow ~limit ~until ~max_rss_mib pid fd text peak =
  let chunk = Bytes.create 65536 in
  let rec loop () =
    let resident = resident_kib pid in
    peak := max !peak resident;
    if Bench_core.Usage.now () > until then
      Some (Printf.sprintf "over %g s" limit)
    else if resident > 1024 * max_rss_mib then
      Some (Printf.sprintf "over %d MiB" max_rss_mib)
    else
      match Interrupted.retry (fun () -> Unix.select [ fd ] [] [] 0.03) with
      | [], _, _ -> loop ()
      | _ -> (
          match
            Interrupted.retry (fun () ->
                Unix.read fd chunk 0 (Bytes.length chunk))
          with
          | 0 -> None
          | k ->
              Buffer.add_subbytes text chunk 0 k;
              loop ())
  in
  loop ()

(* A program may close its output and yet hang: the limit holds until the
   end. *)
let rec ended ~until pid =
  match Interrupted.retry (fun () -> Unix.waitpid [ WNOHANG ] pid) with
  | 0, _ when Bench_core.Usage.now () > until -> None
  | 0, _ ->
      Unix.sleepf 0.001;
      ended ~until pid
  | _, status -> Some status

let verdict ~limit ~max_rss_mib pid out text peak =
  let until = Bench_core.Usage.now () +. limit in
  let kill why =
    Unix.kill pid Sys.sigkill;
    ignore (Interrupted.retry (fun () -> Unix.waitpid [] pid));
    Error why
  in
  match follow ~limit ~until ~max_rss_mib pid out text peak with
  | Some why -> kill why
  | None -> (
      match ended ~until pid with
      | Some status -> Ok status
      | None -> kill "hangs at its end")

let outcome ~limit ~max_rss_mib ~before pid out err =
  let text = Buffer.create 256 and peak = ref 0 in
  match verdict ~limit ~max_rss_mib pid out text peak with
  | Error why -> Failed why
  | Ok (WEXITED 0) ->
      let text = Buffer.contents text in
      Output { text; max_rss_kib = !peak; others = Machine.others before }
  | Ok (WEXITED code) ->
      Failed (Printf.sprintf "exit status %d%s" code (first_line err))
  | Ok (WSIGNALED _ | WSTOPPED _) ->
      Failed ("killed by a signal" ^ first_line err)

let run ~limit ~max_rss_mib argv =
  let err = nameless () in
  let before = Machine.mark () in
  let out, out_child = Unix.pipe ~cloexec:true () in
  let argv = Array.of_list argv in
  Fun.protect ~finally:(fun () -> List.iter Unix.close [ out; err ])
  @@ fun () ->
  let start () =
    Fun.protect ~finally:(fun () -> Unix.close out_child) @@ fun () ->
    Unix.create_process argv.(0) argv Unix.stdin out_child err
  in
  match
    Interrupted.with_child start (fun pid ->
        outcome ~limit ~max_rss_mib ~before pid out err)
  with
  | Ok outcome -> outcome
  | Error e -> Failed (argv.(0) ^ ": " ^ Unix.error_message e)

let find name =
  let directories =
    String.split_on_char ':' (Option.value ~default:"" (Sys.getenv_opt "PATH"))
  in
  List.find_map
    (fun d ->
      let path = Filename.concat d name in
      match Unix.access path [ X_OK ] with
      | () -> Some path
      | exception Unix.Unix_error _ -> None)
    directories
