(* The reports of Dromos, and their receivers: each kind of report reaches the
   program's function and not stderr, and errors of that function do no harm. *)

module Reporter = Dromos.Reporter

exception Boom of int

let[@inline never] boom i = raise (Boom i)

(* Runs [f] and collects its reports; [so_far] returns the reports up to now. *)
let collected f =
  let got = Atomic.make [] in
  let rec collect report =
    let before = Atomic.get got in
    if not (Atomic.compare_and_set got before (report :: before)) then
      collect report
  in
  let before = Reporter.current () in
  Reporter.set collect;
  Fun.protect
    (fun () -> f (fun () -> List.rev (Atomic.get got)))
    ~finally:(fun () -> Reporter.set before)

(* [f] returns checks of its reports; a failed check prints on stderr. *)
let quietly what f =
  let checks = ref ignore in
  let said =
    Said.on_stderr (fun _ -> collected (fun so_far -> checks := f so_far))
  in
  Alcotest.(check string) (what ^ ": stderr") "" said;
  !checks ()

let rec wait_for so_far holds =
  match List.find_opt holds (so_far ()) with
  | Some report -> report
  | None ->
      Unix.sleepf 0.005;
      wait_for so_far holds

let level : Reporter.level -> string = function
  | Error -> "error"
  | Warning -> "warning"
  | Info -> "info"

let is_failure (r : Reporter.report) =
  match r.about with Failure _ -> true | _ -> false

let check_text (r : Reporter.report) parts =
  let whole = r.text in
  let n = String.length whole in
  if not (String.starts_with ~prefix:"dromos: " whole && whole.[n - 1] = '\n')
  then Alcotest.failf "not whole lines of dromos: %S" whole;
  List.iter
    (fun part ->
      if not (Said.contains whole part) then
        Alcotest.failf "%S is not in %S" part whole)
    parts

let check_failure ?runtime ~what error (r : Reporter.report) =
  match r.about with
  | Failure f ->
      Alcotest.(check string) "what" what f.what;
      Alcotest.(check (option string)) "runtime" runtime f.runtime;
      Alcotest.(check string) "level" "error" (level r.level);
      if f.error <> error then
        Alcotest.failf "another exception: %s" (Printexc.to_string f.error);
      let backtrace = Printexc.raw_backtrace_to_string f.backtrace in
      if not (Said.contains backtrace "test_reports.ml") then
        Alcotest.failf "without the place: %s" backtrace;
      check_text r [ what; Printexc.to_string error; "test_reports.ml" ]
  | _ -> Alcotest.fail "not a failure"

(* {1 Kinds of reports} *)

let unawaited () =
  quietly "unawaited" (fun so_far ->
      match
        Dromos.run ~workers:2 (fun () ->
            ignore (Dromos.async (fun () -> boom 1) : unit Dromos.Promise.t);
            while not (List.exists is_failure (so_far ())) do
              Dromos.sleep 0.01
            done)
      with
      | () -> failwith "the scope has not raised"
      | exception Boom 1 ->
          let report = wait_for so_far is_failure in
          fun () ->
            check_failure ~what:"a task that is not awaited" (Boom 1) report)

let of_a_runtime () =
  quietly "runtime" (fun so_far ->
      let runtime = Dromos.Runtime.create ~name:"pages" ~workers:1 () in
      Dromos.Runtime.post runtime (fun () -> boom 2);
      let report = wait_for so_far is_failure in
      Dromos.Runtime.stop runtime;
      fun () ->
        match report.about with
        | Failure { runtime; error; _ } ->
            Alcotest.(check (option string)) "runtime" (Some "pages") runtime;
            if error <> Boom 2 then Alcotest.fail "another exception";
            check_text report [ {|runtime "pages"|}; "test_reports.ml" ]
        | _ -> assert false)

(* Letters beyond ASCII are not escaped in the text. *)
let of_names () =
  quietly "names" (fun so_far ->
      let runtime =
        Dromos.Runtime.create ~name:"caf\u{E9} \"1\"" ~workers:1 ()
      in
      Dromos.Runtime.post ~name:"\u{E9}t\u{E9}\n" runtime (fun () -> boom 2);
      let report = wait_for so_far is_failure in
      Dromos.Runtime.stop runtime;
      fun () ->
        check_text report
          [
            {|runtime "caf|} ^ "\u{E9}" ^ {| \"1\""|};
            "task \"\u{E9}t\u{E9}\\n\" raised";
          ])

let of_promises () =
  quietly "on_result" (fun so_far ->
      let promise = Dromos.Promise.create () in
      Dromos.Promise.on_result promise (fun _ -> boom 3);
      Dromos.Promise.resolve promise ();
      let report = wait_for so_far is_failure in
      fun () ->
        check_failure ~what:"a callback of Promise.on_result" (Boom 3) report)

let of_pools () =
  quietly "dispose" (fun so_far ->
      let module Pool = Dromos.Resource_pool in
      let dispose () = boom 4 and check () = false in
      let pool = Pool.create ~max:1 ~make:ignore ~dispose ~check () in
      Dromos.run (fun () ->
          Pool.use pool ignore;
          Pool.use pool ignore);
      let report = wait_for so_far is_failure in
      fun () -> check_failure ~what:"dispose of a Resource_pool" (Boom 4) report)

let is about (r : Reporter.report) = r.about = about

(* Each task holds a lock and asks for the next, in any order of the tasks. *)
let of_locks () =
  quietly "locks" (fun so_far ->
      let module Mutex = Dromos.Mutex in
      let a = Mutex.create ~name:"accounts" () in
      let b = Mutex.create ~name:"books" () in
      let both_hold = Dromos.Latch.create 2 in
      let hold mine other () =
        Mutex.protect mine (fun () ->
            Dromos.Latch.count_down both_hold;
            Dromos.Latch.wait both_hold;
            Mutex.protect other ignore)
      in
      match
        Dromos.run ~workers:2 (fun () ->
            Dromos.timeout 2. (fun () ->
                ignore (Dromos.both (hold a b) (hold b a) : unit * unit)))
      with
      | () -> failwith "no deadlock"
      | exception _ ->
          let report = wait_for so_far (is Deadlock) in
          fun () ->
            Alcotest.(check string) "level" "error" (level report.level);
            check_text report [ "accounts"; "books" ])

let of_runs () =
  quietly "runs" (fun so_far ->
      match
        Dromos.run ~workers:2 (fun () ->
            Dromos.await (Dromos.Promise.create ()))
      with
      | () -> failwith "no deadlock"
      | exception Dromos.Deadlock text ->
          let report = wait_for so_far (is Deadlock) in
          fun () ->
            Alcotest.(check string) "level" "error" (level report.level);
            Alcotest.(check string) "the exception's text" report.text text)

let advice () =
  quietly "advice" (fun so_far ->
      Dromos.set_blocking_threads 1;
      let begun = Dromos.Promise.create () and over = Atomic.make false in
      let rec until_over () =
        if not (Atomic.get over) then begin
          Unix.sleepf 0.01;
          until_over ()
        end
      in
      Dromos.run ~workers:2 (fun () ->
          let call f = Dromos.async (fun () -> Dromos.blocking f) in
          let first =
            call (fun () ->
                Dromos.Promise.resolve begun ();
                until_over ())
          in
          Dromos.await begun;
          let calls = [ first; call ignore ] in
          while not (List.exists (is Advice) (so_far ())) do
            Dromos.sleep 0.01
          done;
          Atomic.set over true;
          List.iter Dromos.await calls);
      let report = wait_for so_far (is Advice) in
      fun () ->
        Alcotest.(check string) "level" "warning" (level report.level);
        check_text report [ "set_blocking_threads" ])

let dumps () =
  quietly "dump" (fun so_far ->
      Dromos.run (fun () -> Dromos.dump ());
      let report = wait_for so_far (is Dump) in
      fun () ->
        Alcotest.(check string) "level" "info" (level report.level);
        check_text report [ "1 run" ]);
  Dromos.dump_on_sigquit ();
  quietly "SIGQUIT" (fun so_far ->
      Unix.kill (Unix.getpid ()) Sys.sigquit;
      let report = wait_for so_far (is Dump) in
      fun () -> check_text report [ "run" ])

(* {1 The program's function} *)

let report_of text = { Reporter.level = Warning; about = Advice; text }

let fail_callback i =
  let promise = Dromos.Promise.return () in
  Dromos.Promise.on_result promise (fun _ -> boom i)

let with_reporter f g =
  let before = Reporter.current () in
  Reporter.set f;
  Fun.protect g ~finally:(fun () -> Reporter.set before)

let says what parts f =
  let said = Said.on_stderr (fun _ -> f ()) in
  List.iter
    (fun part ->
      if not (Said.contains said part) then
        Alcotest.failf "%s: %S is not in %S" what part said)
    parts

let raises () =
  let calls = Atomic.make 0 in
  let failing (_ : Reporter.report) =
    Atomic.incr calls;
    failwith "the log is full"
  in
  says "raises"
    [
      "Boom(5)";
      "Boom(6)";
      "The function given to Reporter.set raised Failure(\"the log is full\")";
    ] (fun () ->
      with_reporter failing (fun () ->
          fail_callback 5;
          fail_callback 6));
  Alcotest.(check int) "called for each" 2 (Atomic.get calls)

let waits () =
  let lock = Dromos.Mutex.create () in
  says "waits" [ "Boom(7)"; "The function given to Reporter.set must not wait" ]
    (fun () ->
      Dromos.run ~workers:2 (fun () ->
          Dromos.Mutex.protect lock (fun () ->
              let waiting (_ : Reporter.report) =
                Dromos.Mutex.protect lock ignore
              in
              with_reporter waiting (fun () ->
                  Dromos.await (Dromos.async (fun () -> fail_callback 7))))))

let reports_itself () =
  let calls = Atomic.make 0 in
  says "reports itself" [ "Boom(9)" ] (fun () ->
      with_reporter
        (fun _ ->
          Atomic.incr calls;
          fail_callback 9)
        (fun () -> fail_callback 8));
  Alcotest.(check int) "called for the first" 1 (Atomic.get calls)

let passes_on () =
  let seen = ref [] in
  let before = Reporter.current () in
  says "passes on" [ "Boom(10)" ] (fun () ->
      with_reporter
        (fun r ->
          seen := r.Reporter.text :: !seen;
          before r)
        (fun () -> fail_callback 10));
  Alcotest.(check int) "seen" 1 (List.length !seen);
  says "to stderr" [ "by hand" ] (fun () ->
      Reporter.to_stderr (report_of "dromos: by hand\n"))

(* More than a pipe holds, to a reader that comes late. *)
let non_blocking () =
  let text = "dromos: " ^ String.make 300_000 'x' ^ "\n" in
  let from, into = Unix.pipe ~cloexec:true () in
  let late () =
    Unix.sleepf 0.1;
    let ic = Unix.in_channel_of_descr from in
    Fun.protect
      (fun () -> In_channel.input_all ic)
      ~finally:(fun () -> close_in ic)
  in
  let got = ref "" in
  let reader = Thread.create (fun () -> got := late ()) () in
  let stderr = Unix.dup ~cloexec:true Unix.stderr in
  Unix.dup2 into Unix.stderr;
  Unix.set_nonblock into;
  Unix.close into;
  Reporter.to_stderr (report_of text);
  Unix.dup2 stderr Unix.stderr;
  Unix.close stderr;
  Thread.join reader;
  Alcotest.(check int) "all of it" (String.length text) (String.length !got)

(* A log with a lock of its own. *)
let stdlib_lock () =
  let lock = Mutex.create () in
  let count = ref 0 in
  let locked (_ : Reporter.report) =
    Mutex.protect lock (fun () -> incr count)
  in
  let domains = 4 and each = 200 in
  let work d () =
    for i = 1 to each do
      fail_callback ((d * each) + i)
    done
  in
  quietly "several domains" (fun _ ->
      with_reporter locked (fun () ->
          List.init domains (fun d -> Domain.spawn (work d))
          |> List.iter Domain.join);
      ignore);
  Alcotest.(check int) "each once" (domains * each) !count

let case = Watch.case

let () =
  Printexc.record_backtrace true;
  Watch.suite "reports" (fun () ->
      Alcotest.run ~and_exit:false "reports"
        [
          ( "what",
            [
              case "a failure that no fiber awaits" unawaited;
              case "a report of a runtime, with its name" of_a_runtime;
              case "a report of names beyond ASCII" of_names;
              case "a report of a callback of a promise" of_promises;
              case "a report of the end of a resource" of_pools;
              case "a cycle of locks" of_locks;
              case "a deadlock of a run" of_runs;
              case "advice" advice;
              case "dumps" dumps;
            ] );
          ( "the function",
            [
              case "raises" raises;
              case "waits" waits;
              case "causes a report" reports_itself;
              case "passes reports on" passes_on;
              case "a stderr in non-blocking mode" non_blocking;
              case "takes a lock, on several domains" stdlib_lock;
            ] );
        ])
