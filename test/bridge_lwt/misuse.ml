(* Calls that cannot work raise with a message on the remedy. *)

open Lwt.Syntax

let contains = Said.contains

let refused f words =
  match f () with
  | _ -> Alcotest.fail "not refused"
  | exception Dromos.Misplaced text ->
      List.iter
        (fun word ->
          Watch.check Alcotest.bool
            (text ^ ": " ^ word)
            true (contains text word))
        words

let no_loop () =
  refused
    (fun () -> Dromos_lwt.in_lwt (fun () -> Lwt.return_unit))
    [ "Dromos_lwt.in_lwt"; "no Lwt loop runs"; "with_loop" ];
  refused
    (fun () -> Dromos_lwt.await Lwt.return_unit)
    [ "Dromos_lwt.await"; "no Lwt loop runs" ];
  Dromos.run ~workers:1 (fun () ->
      refused
        (fun () -> ignore (Dromos_lwt.offload ignore))
        [ "Dromos_lwt.offload"; "no Lwt loop is known"; "Dromos_lwt.run" ])

let wrong_thread () =
  Dromos_lwt.run (fun () ->
      let* () =
        Dromos_lwt.offload (fun () ->
            List.iter
              (fun (name, f) -> refused f [ name; "thread"; "in_lwt" ])
              [
                ( "Dromos_lwt.offload",
                  fun () -> ignore (Dromos_lwt.offload ignore) );
                ("Dromos_lwt.fiber", fun () -> ignore (Dromos_lwt.fiber ignore));
                ( "Dromos_lwt.sync",
                  fun () ->
                    ignore (Dromos_lwt.sync (Dromos_sync.Event.always ())) );
              ])
      in
      (* A systhread of Lwt's own domain is another thread, and is refused. *)
      Lwt_preemptive.detach
        (fun () ->
          refused
            (fun () -> ignore (Dromos_lwt.offload ignore))
            [ "Dromos_lwt.offload"; "thread" ])
        ())

let would_block () =
  Dromos_lwt.run (fun () ->
      refused
        (fun () -> Dromos_lwt.in_lwt (fun () -> Lwt.return_unit))
        [ "Dromos_lwt.in_lwt"; "would block"; "fiber" ];
      refused
        (fun () -> Dromos_lwt.await (Lwt.pause ()))
        [ "Dromos_lwt.await"; "would block" ];
      refused (fun () -> Dromos.run ignore) [ "Lwt"; "dromos-lwt" ];
      Lwt.return_unit)

let two_loops () =
  Dromos_lwt.run (fun () ->
      refused
        (fun () -> Dromos_lwt.run Lwt.return)
        [ "Dromos_lwt.run"; "runs already" ];
      refused (fun () -> Dromos_lwt.with_loop ignore) [ "runs already" ];
      let* () =
        Dromos_lwt.offload (fun () ->
            refused (fun () -> Dromos_lwt.with_loop ignore) [ "runs already" ])
      in
      Lwt.return_unit);
  Lwt_main.run
    (let* () = Lwt.pause () in
     refused (fun () -> Dromos_lwt.run Lwt.return) [ "inside Lwt_main.run" ];
     Lwt.return_unit);
  Dromos_lwt.with_loop (fun () ->
      refused (fun () -> Dromos_lwt.run Lwt.return) [ "runs already" ];
      (* The first loop is unharmed. *)
      Dromos_lwt.in_lwt (fun () -> Lwt_unix.sleep 0.001))

exception Background

(* [with_loop] raises the exception that ended its loop, also if its function
   fails afterwards because the loop has ended. (A hook of Lwt's iterations
   raises. An exception from [Lwt.async_exception_hook] would end the loop too,
   but would leave Lwt in the middle of an action.) *)
let failing_loop () =
  let module Hooks = Lwt_main.Enter_iter_hooks in
  let fail () =
    let hook = ref None in
    let raising () =
      Option.iter Hooks.remove !hook;
      raise Background
    in
    hook := Some (Hooks.add_first raising);
    fst (Lwt.wait ())
  in
  let fails over =
    Alcotest.check_raises "the loop's" Background (fun () ->
        Dromos_lwt.with_loop (fun () ->
            refused (fun () -> Dromos_lwt.in_lwt fail) [ "Dromos_lwt" ];
            over ()))
  in
  fails ignore;
  fails (fun () -> failwith "a consequence")

(* Lwt's own functions, where Lwt does not run. *)
let lwt_elsewhere () =
  let file, other = Unix.socketpair ~cloexec:true PF_UNIX SOCK_STREAM 0 in
  let ways =
    [
      ("Lwt_unix.sleep", fun () -> ignore (Lwt_unix.sleep 0.001));
      ("Lwt.pause", fun () -> ignore (Lwt.pause ()));
      ( "descriptor",
        fun () ->
          let fd = Lwt_unix.of_unix_file_descr ~blocking:false file in
          ignore (Lwt_unix.wait_read fd : unit Lwt.t) );
    ]
  in
  let all_refused () =
    List.iter
      (fun (name, f) -> refused f [ name; "Lwt runs on thread"; "in_lwt" ])
      ways
  in
  let everywhere () =
    let* () = Dromos_lwt.offload all_refused in
    let* () = Dromos_lwt.offload ~blocking:true all_refused in
    let* () = Lwt_preemptive.detach all_refused () in
    (* The loop is unharmed. *)
    List.iter (fun (_, f) -> f ()) ways;
    Lwt_unix.sleep 0.001
  in
  Dromos_lwt.run everywhere;
  Dromos_lwt.run everywhere;
  (* An engine set by the program is guarded from the next loop on. *)
  Lwt_engine.set (new Lwt_engine.select);
  Dromos_lwt.run everywhere;
  Dromos_lwt.with_loop (fun () ->
      Dromos.run all_refused;
      Dromos_lwt.in_lwt everywhere);
  Unix.close other;
  Unix.close file;
  (* Without a loop, no thread is refused. *)
  Lwt_main.run (Lwt_unix.sleep 0.001)

(* The loop sleeps when another thread resolves the promise of its [run]. *)
let woken_elsewhere () =
  refused
    (fun () ->
      Dromos_lwt.run (fun () ->
          let p, resolver = Lwt.wait () in
          ignore
            (Dromos_lwt.offload (fun () ->
                 Dromos.sleep 0.05;
                 Lwt.wakeup_later resolver ())
              : unit Lwt.t);
          p))
    [ "Dromos_lwt.run"; "Lwt.wakeup"; "in_lwt" ];
  Watch.check Alcotest.int "the way to do that" 3
    (Dromos_lwt.run (fun () ->
         let p, resolver = Lwt.wait () in
         ignore
           (Dromos_lwt.offload (fun () ->
                Dromos_lwt.in_lwt (fun () ->
                    Lwt.wakeup_later resolver 3;
                    Lwt.return_unit))
             : unit Lwt.t);
         p))

(* A wait that blocks Lwt's thread is reported, and continues. *)
let blocked () =
  let told =
    Said.on_stderr (fun text ->
        Dromos_lwt.run (fun () ->
            let p = Dromos.Promise.create () in
            let other =
              Domain.spawn (fun () ->
                  while not (contains (text ()) "blocked Lwt's thread") do
                    Unix.sleepf 0.01
                  done;
                  Dromos.Promise.resolve p 7)
            in
            Watch.check Alcotest.int "goes on" 7 (Dromos.Promise.await p);
            Domain.join other;
            Lwt.return_unit))
  in
  Watch.check Alcotest.bool "where" true (contains told "misuse.ml")

(* A loop of the program itself, ended by now. *)
let after_a_loop () =
  Lwt_main.run (Dromos_lwt.offload ignore);
  refused
    (fun () ->
      Domain.join
        (Domain.spawn (fun () -> Dromos_lwt.in_lwt (fun () -> Lwt.return_unit))))
    [ "Dromos_lwt.in_lwt"; "no Lwt loop runs" ];
  (* Another thread may run the next loop. *)
  Domain.join (Domain.spawn (fun () -> Lwt_main.run (Lwt_unix.sleep 0.001)));
  (* A thread outside Lwt is not registered as Lwt's. *)
  Lwt_main.run
    (let* () =
       Lwt_preemptive.detach
         (fun () ->
           refused
             (fun () -> ignore (Dromos_lwt.offload ignore : unit Lwt.t))
             [ "Dromos_lwt.offload"; "Lwt runs on thread" ])
         ()
     in
     Dromos_lwt.offload ignore)

(* Tasks that still wait when the loop ends get an exception. *)
let the_end () =
  let waiting = Atomic.make 0 in
  let waiter =
    Dromos_lwt.run (fun () ->
        let waiter =
          Domain.spawn (fun () ->
              refused
                (fun () ->
                  Dromos_lwt.in_lwt (fun () ->
                      Atomic.incr waiting;
                      fst (Lwt.wait ())))
                [ "ended" ])
        in
        let rec until () =
          if Atomic.get waiting > 0 then Lwt.return waiter
          else Lwt.bind (Lwt.pause ()) until
        in
        until ())
  in
  Domain.join waiter;
  refused (fun () -> Dromos_lwt.in_lwt Lwt.return) [ "no Lwt loop runs" ]

let cases =
  let case = Watch.case in
  [
    case "no loop" no_loop;
    case "the wrong thread" wrong_thread;
    case "would block the loop" would_block;
    case "two loops" two_loops;
    case "a loop that fails" failing_loop;
    case "Lwt's functions elsewhere" lwt_elsewhere;
    case "a promise resolved elsewhere" woken_elsewhere;
    case "a wait that blocks the loop" blocked;
    case "the end of the loop" the_end;
    case "after a loop" after_a_loop;
  ]
