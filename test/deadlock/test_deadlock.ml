(* Each check starts alone.exe, which sleeps most of its time. Therefore all
   processes are started before the first is read, and read one after the other.
   A process that is not over after [deadline] is killed. *)

let deadline = 40. (* seconds, enough for a busy machine *)

type outcome = { status : int option; out : string; err : string }
(* A killed process has no status. *)

type process = {
  pid : int;
  since : float;
  out_file : string;
  err_file : string;
}

let start ~deadlock ~debug scenario workers hub =
  let file suffix = Filename.temp_file "deadlock" suffix in
  let out_file = file ".out" and err_file = file ".err" in
  let opened name = Unix.openfile name [ O_WRONLY; O_CLOEXEC ] 0 in
  let out = opened out_file and err = opened err_file in
  let ours v =
    String.starts_with ~prefix:"DROMOS_DEADLOCK=" v
    || String.starts_with ~prefix:"DROMOS_DEBUG=" v
  in
  let env =
    Array.to_list (Unix.environment ()) |> List.filter (fun v -> not (ours v))
  in
  let env =
    ("DROMOS_DEADLOCK=" ^ deadlock) :: ("DROMOS_DEBUG=" ^ debug) :: env
  in
  let pid =
    Unix.create_process_env "./alone.exe"
      [| "./alone.exe"; scenario; string_of_int workers; hub |]
      (Array.of_list env) Unix.stdin out err
  in
  Unix.close out;
  Unix.close err;
  { pid; since = Unix.gettimeofday (); out_file; err_file }

let kill pid =
  Unix.kill pid Sys.sigkill;
  ignore (Unix.waitpid [] pid)

(* Waits until the process is over, or [enough ()], or [until]. *)
let rec wait pid ~enough until =
  match Unix.waitpid [ WNOHANG ] pid with
  | 0, _ when Unix.gettimeofday () < until && not (enough ()) ->
      Unix.sleepf 0.02;
      wait pid ~enough until
  | 0, _ ->
      kill pid;
      None
  | _, WEXITED n -> Some n
  | _, (WSIGNALED n | WSTOPPED n) -> Some (1000 + abs n)

let read name = In_channel.with_open_bin name In_channel.input_all

let finish ?(enough = fun _ -> false) ~patience process =
  let enough () = enough (read process.err_file) in
  let status = wait process.pid ~enough (process.since +. patience) in
  let out = read process.out_file and err = read process.err_file in
  Sys.remove process.out_file;
  Sys.remove process.err_file;
  { status; out; err }

let contains = Said.contains
let lines text = List.filter (( <> ) "") (String.split_on_char '\n' text)

(* {1 Expected outcomes} *)

type expected =
  | Ends of { says : string list; reports : bool }
  | Ends_after of { says : string list; reported : string list }
  | Locks of { says : string list; reported : string list; status : int }
  | Hangs of { reported : string list }  (** reported, and killed *)
  | Silent  (** not reported, and killed *)
  | Raises of { says : string list; reported : string list }

let first_word = "dromos: nothing has run for a second"

let reports err =
  List.length (List.filter (String.starts_with ~prefix:first_word) (lines err))

let locks_word = "dromos: a deadlock:"

let lock_reports err =
  List.length (List.filter (String.starts_with ~prefix:locks_word) (lines err))

let check name expected { status; out; err } =
  let fail fmt =
    Printf.ksprintf
      (fun what ->
        Alcotest.failf "%s: %s\nstatus %s\nstdout:\n%s\nstderr:\n%s" name what
          (match status with
          | Some n -> string_of_int n
          | None -> "killed after the deadline")
          out err)
      fmt
  in
  let status_is wanted = if status <> wanted then fail "wrong status" in
  let number_of_reports n =
    if reports err <> n then fail "%d reports, not %d" (reports err) n
  in
  let has where text part =
    if not (contains text part) then fail "no %S on %s" part where
  in
  match expected with
  | Ends { says; reports } ->
      status_is (Some 0);
      number_of_reports (if reports then 1 else 0);
      List.iter (has "stdout" out) ("ended" :: says)
  | Ends_after { says; reported } ->
      status_is (Some 0);
      List.iter (has "stdout" out) ("ended" :: says);
      List.iter (has "stderr" err) reported
  | Locks { says; reported; status } ->
      status_is (Some status);
      if lock_reports err <> 1 then
        fail "%d reports of locks, not 1" (lock_reports err);
      List.iter (has "stdout" out) says;
      List.iter (has "stderr" err) reported
  | Hangs { reported } ->
      status_is None;
      number_of_reports 1;
      List.iter (has "stderr" err) reported
  | Silent ->
      status_is None;
      if err <> "" then fail "something on stderr"
  | Raises { says; reported } ->
      status_is (Some 3);
      number_of_reports 1;
      List.iter (has "stdout" out) ("raised Dromos.Deadlock: nothing" :: says);
      (* The exception holds the printed report. *)
      List.iter (has "stderr" err) reported;
      List.iter (has "stdout" out) reported

(* {1 The cases} *)

type case = {
  scenario : string;
  workers : int list;
  hubs : string list;
  deadlock : string;
  debug : string;
  expected : expected;
}

let alone_ml = Filename.concat (Filename.dirname __FILE__) "alone.ml:"
let all_hubs = List.map Dromos.Hub.name Dromos.Hub.all

let case ?(workers = [ 1; 2 ]) ?(hubs = [ "std" ]) ?(deadlock = "")
    ?(debug = "") scenario expected =
  { scenario; workers; hubs; deadlock; debug; expected }

let quietly = Ends { says = []; reports = false }
let both_clean_up = [ "left cleans up"; "right cleans up" ]

let crossed_waits =
  [
    "the 3 fibers that wait";
    "\"left\" waits on Promise.await for ";
    "\"right\" waits on Promise.await for ";
    "(first fiber of the run) waits on Promise.await for ";
  ]

let goes_on = "The run goes on"

(* A deadlock that a thread might still end is reported only where the system
   lists the threads. *)
let told reported =
  match Dromos_service.Platform.threads () with
  | Some _ -> Hangs { reported }
  | None -> Silent

let hopeless = "nothing can ever wake them"

let cases =
  [
    (* Reported, and not raised, if a global variable leads to the promise. *)
    case "never" ~hubs:all_hubs (told [ "waits on Promise.await"; goes_on ]);
    case "crossed" (told (goes_on :: crossed_waits));
    case "many" ~workers:[ 2 ]
      (told
         [
           "the 201 fibers that wait";
           "waits on the tasks of its scope";
           "and 151 fibers more";
         ]);
    case "crossed" ~deadlock:"ignore" Silent ~workers:[ 1 ];
    case "crossed" ~deadlock:"0" Silent ~workers:[ 2 ];
    case "crossed" ~debug:"1" ~workers:[ 1 ]
      (told [ "at " ^ alone_ml; "made at " ^ alone_ml ]);
    (* Raised on request. *)
    case "crossed" ~deadlock:"raise" ~hubs:all_hubs
      (Raises { says = both_clean_up; reported = crossed_waits });
    case "never" ~deadlock:"raise"
      (Raises { says = []; reported = [ "waits on Promise.await" ] });
    case "protected" ~deadlock:"raise"
      (Raises { says = []; reported = [ "protected from cancellation" ] });
    case "abandoned" ~deadlock:"raise"
      (Raises
         { says = [ "abandoned" ]; reported = [ "waits on Promise.await" ] });
    case "no_descriptor" ~deadlock:"raise"
      (Raises { says = [ "given up" ]; reported = [ "waits on Promise.await" ] });
    (* Raised because no thread can wake the fibers. *)
    case "crossed_unreachable" ~hubs:all_hubs
      (Raises { says = both_clean_up; reported = hopeless :: crossed_waits });
    case "nested" ~hubs:all_hubs
      (Raises { says = []; reported = [ hopeless; "\"inner\" waits on" ] });
    case "failed"
      (Raises
         {
           says = [ {|(then also failed: Failure("body"); Failure("task"))|} ];
           reported = [ hopeless; {|Failure("body")|}; {|Failure("task")|} ];
         });
    case "protected_and_lost"
      (Raises { says = []; reported = [ hopeless; "protected" ] });
    case "collected"
      (Raises { says = []; reported = [ "1 fiber more, collected" ] });
    case "structures"
      (Raises
         {
           says = [];
           reported =
             [
               "waits on Semaphore.acquire on memory (3 permits)";
               "waits on Strand.async on log";
               "waits on Semaphore.acquire on pool db";
             ];
         });
    case "subscriber" ~deadlock:"raise"
      (Raises
         { says = []; reported = [ "waits on Channel.recv on broadcast news" ] });
    case "beside_ended" ~hubs:all_hubs
      (Raises { says = both_clean_up; reported = [ hopeless ] });
    case "stopped" (Raises { says = []; reported = [ hopeless ] });
    case "inheriting" ~hubs:all_hubs
      (Raises { says = []; reported = [ hopeless; "waits on Mutex.lock on n" ] });
    (* Only weak pointers, or finalisers, lead to the fibers: no proof of a
       deadlock. *)
    case "weak_pointer" ~hubs:all_hubs
      (Ends { says = [ "woken by a thread" ]; reports = false });
    case "weak_pointer_alone" (told [ goes_on; "a weak pointer" ]);
    case "ephemeron" (Ends { says = [ "woken by a thread" ]; reports = false });
    case "alarm" (Ends { says = [ "woken by an alarm" ]; reports = false });
    case "many_cycles" ~workers:[ 2; 4 ]
      (Ends_after { says = []; reported = [ "; held by fiber " ] });
    case "resurrection"
      (Ends { says = [ "woken by a thread" ]; reports = false });
    (* Each run is judged by itself. *)
    case "second" (Raises { says = both_clean_up; reported = [ hopeless ] });
    case "in_blocking"
      (Ends_after
         {
           says = "deadlock" :: both_clean_up;
           reported =
             [
               hopeless;
               "for other fibers, and leading to none of these: 1 blocking call";
             ];
         });
    case "beside_a_ticker"
      (Ends_after { says = [ "deadlock" ]; reported = [ hopeless ] });
    case "beside_work"
      (Ends_after { says = [ "deadlock" ]; reported = [ hopeless ] });
    case "two_runs"
      (Ends_after { says = [ "deadlock\ndeadlock" ]; reported = [ hopeless ] });
    case "two_runs_late"
      (Ends_after { says = [ "deadlock\ndeadlock" ]; reported = [ hopeless ] });
    case "limited"
      (Hangs { reported = [ "no timer but time limits"; "over in 359" ] });
    case "limited_lock"
      (Hangs { reported = [ "Only a time limit"; "Mutex.lock on m" ] });
    case "limited_shortly"
      (Ends { says = [ "the time was up" ]; reports = false });
    (* Locks held and awaited in a circle. *)
    case "two_locks" ~hubs:all_hubs
      (Locks
         {
           says = [ "the rest goes on" ];
           status = 3;
           reported =
             [
               "2 tasks wait for locks";
               "\"task 0\" waits on Mutex.lock on b";
               "\"task 1\" waits on Mutex.lock on a";
               "; held by fiber ";
             ];
         });
    case "mixed_locks"
      (Locks
         {
           says = [ "the rest goes on" ];
           status = 3;
           reported =
             [
               "4 tasks wait for locks";
               "Rwlock.lock_write on b";
               "Strand.run on c";
               "Mutex.lock on d";
               "Mutex.lock on a";
             ];
         });
    case "lazies"
      (Locks { says = []; status = 3; reported = [ "waits on Lazy.force" ] });
    case "two_locks" ~deadlock:"raise"
      (Locks
         {
           says = [ "raised Dromos.Deadlock: a deadlock" ];
           status = 3;
           reported = [ "the last one raises" ];
         });
    case "patient_lock" (Ends { says = [ "gave up" ]; reports = false });
    (* No deadlocks. *)
    case "lone_subscriber" (Ends { says = [ "closed" ]; reports = false });
    case "outside" ~hubs:all_hubs
      (Ends { says = [ "woken from outside" ]; reports = false });
    case "kept" ~hubs:all_hubs (Ends { says = [ "42" ]; reports = false });
    case "handled" (Ends { says = [ "woken by a handler" ]; reports = false });
    case "no_more_outside"
      (Raises { says = [ "woken from outside" ]; reported = [ hopeless ] });
    case "announced" ~deadlock:"raise" quietly;
    case "sleeping" ~deadlock:"raise" ~hubs:all_hubs quietly;
    case "blocking" ~deadlock:"raise" quietly;
    case "late" ~deadlock:"raise" quietly;
    case "descriptor" ~deadlock:"raise" quietly;
    case "busy" ~deadlock:"raise" quietly;
    case "other_run" ~deadlock:"raise" quietly;
    case "finaliser"
      (Ends { says = [ "woken by a finaliser" ]; reports = false });
    case "another_finaliser"
      (Ends { says = [ "woken by another's finaliser" ]; reports = false });
    case "threads" ~deadlock:"raise" quietly;
    case "forked"
      (Ends { says = [ "the child raised"; "the child ended" ]; reports = true });
  ]

(* A hanging process is killed when its report is complete and the process still
   hangs. *)
let last_line = "turns the search off.\n"

let finish_as_expected process = function
  | Hangs _ ->
      let enough err =
        contains err last_line
        && begin
             Unix.sleepf 0.1;
             true
           end
      in
      finish process ~enough ~patience:deadline
  | Silent -> finish process ~patience:4.
  | Ends _ | Ends_after _ | Locks _ | Raises _ ->
      finish process ~patience:deadline

let start_case c =
  let start workers hub =
    let name =
      Printf.sprintf "%s, %d workers, hub %s%s%s" c.scenario workers hub
        (if c.deadlock = "" then "" else ", " ^ c.deadlock)
        (if c.debug = "" then "" else ", debug")
    in
    let process =
      start ~deadlock:c.deadlock ~debug:c.debug c.scenario workers hub
    in
    (name, c.expected, process)
  in
  List.concat_map (fun w -> List.map (start w) c.hubs) c.workers

let bad_setting () =
  let process = start ~deadlock:"maybe" ~debug:"" "sleeping" 1 "std" in
  let { err; status; _ } = finish ~patience:deadline process in
  Watch.check Alcotest.(option int) "status" (Some 2) status;
  Watch.check Alcotest.bool err true (contains err "DROMOS_DEADLOCK=maybe")

let () =
  let started = lazy (List.concat_map start_case cases) in
  Watch.suite "deadlock" (fun () ->
      let tests =
        List.map
          (fun (name, expected, process) ->
            Watch.case name (fun () ->
                check name expected (finish_as_expected process expected)))
          (Lazy.force started)
      in
      Alcotest.run "deadlock"
        [
          ("processes", tests);
          ("settings", [ Watch.case "unknown" bad_setting ]);
        ])
