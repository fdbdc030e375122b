let seed =
  match Sys.getenv_opt "DROMOS_TEST_SEED" with
  | Some text when text <> "" -> int_of_string text
  | Some _ | None -> Random.State.bits (Random.State.make_self_init ())

let chance = Random.State.make [| seed |]

let patience =
  match Sys.getenv_opt "DROMOS_TEST_PATIENCE" with
  | Some text when text <> "" -> float_of_string text
  | Some _ | None -> 1.

(* {1 The suite's side} *)

(* Lines "limit name" when a test starts, "0 name" when the test is over. *)
let report = ref stdout
let tell limit name = Printf.fprintf !report "%.3f %s\n%!" limit name

let during ?(limit = 60.) name f =
  tell (limit *. patience) name;
  Fun.protect f ~finally:(fun () -> tell 0. name)

let case ?limit name f =
  Alcotest.test_case name `Quick (fun () ->
      let start = Unix.gettimeofday () in
      during ?limit name @@ fun () ->
      Fun.protect f ~finally:(fun () ->
          Printf.printf "%.2f s\n%!" (Unix.gettimeofday () -. start)))

(* {1 The watcher's side} *)

(* The state of each thread of the suite: R runs, S sleeps. *)
let states pid =
  let tasks = Printf.sprintf "/proc/%d/task" pid in
  let state task =
    match
      In_channel.with_open_bin
        (Printf.sprintf "%s/%s/stat" tasks task)
        In_channel.input_all
    with
    | text -> (
        match String.rindex_opt text ')' with
        | Some i when i + 2 < String.length text -> String.make 1 text.[i + 2]
        | Some _ | None -> "?")
    | exception Sys_error _ -> "?"
  in
  match Sys.readdir tasks with
  | names -> String.concat "" (Array.to_list (Array.map state names))
  | exception Sys_error _ -> "unknown"

let give_up pid name limit =
  Printf.eprintf
    "HANG: test %S took more than %.0f s (DROMOS_TEST_SEED=%d; its threads: %s)\n\
     %!"
    name limit seed (states pid);
  Unix.kill pid Sys.sigkill;
  ignore (Unix.waitpid [] pid);
  exit 2

let rec finish pid =
  match Unix.waitpid [] pid with
  | _, Unix.WEXITED status -> exit status
  | _, (Unix.WSIGNALED n | Unix.WSTOPPED n) ->
      Printf.eprintf
        "the suite was ended by signal %d (DROMOS_TEST_SEED=%d)\n%!" n seed;
      exit 2
  | exception Unix.Unix_error (EINTR, _, _) -> finish pid

(* A line is one write, so a read returns whole lines; the last line counts. *)
let last_line fd buffer =
  match Unix.read fd buffer 0 (Bytes.length buffer) with
  | 0 -> None
  | n -> (
      let lines = String.split_on_char '\n' (Bytes.sub_string buffer 0 n) in
      match List.rev (List.filter (fun line -> line <> "") lines) with
      | [] -> None
      | last :: _ -> Some (Scanf.sscanf last "%f %[^\n]" (fun l n -> (l, n))))

let watch pid fd =
  let buffer = Bytes.create 65536 in
  let rec go name limit deadline =
    let left =
      if limit = 0. then -1. else Float.max 0. (deadline -. Unix.gettimeofday ())
    in
    match Unix.select [ fd ] [] [] left with
    | [], _, _ -> give_up pid name limit
    | _ -> (
        match last_line fd buffer with
        | None -> finish pid
        | Some (limit, name) -> go name limit (Unix.gettimeofday () +. limit))
    | exception Unix.Unix_error (EINTR, _, _) -> go name limit deadline
  in
  let limit = 60. *. patience in
  go "start" limit (Unix.gettimeofday () +. limit)

let suite name main =
  Printf.printf "%s: DROMOS_TEST_SEED=%d\n%!" name seed;
  let from_suite, to_watcher = Unix.pipe ~cloexec:true () in
  match Unix.fork () with
  | 0 ->
      Unix.close from_suite;
      report := Unix.out_channel_of_descr to_watcher;
      main ()
  | pid ->
      Unix.close to_watcher;
      watch pid from_suite

let rests ~most measure =
  let rec go attempts =
    let used = measure () in
    if used > most then
      if attempts > 1 then go (attempts - 1)
      else Alcotest.failf "%.3f s of processor time, and more before" used
  in
  go 5

let check testable what expected actual =
  if not (Alcotest.equal testable expected actual) then
    Alcotest.check testable what expected actual

let allocating ~at hook f =
  let count = ref 0 in
  let note _ =
    incr count;
    if !count = at then hook ();
    None
  in
  let tracker =
    { Gc.Memprof.null_tracker with alloc_minor = note; alloc_major = note }
  in
  let (_ : Gc.Memprof.t) =
    Gc.Memprof.start ~sampling_rate:1. ~callstack_size:0 tracker
  in
  Fun.protect f ~finally:Gc.Memprof.stop;
  !count
