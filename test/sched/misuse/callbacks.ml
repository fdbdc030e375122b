(* Functions of a program, called at places where no wait is allowed. *)

module Sched = Dromos.Sched
module Line = Sched.Ready_queue
module Promise = Dromos.Promise

let says text parts =
  List.iter
    (fun part ->
      if not (Said.contains text part) then
        Alcotest.failf "%S does not say %S" text part)
    parts

let misplaced parts f =
  match f () with
  | _ -> Alcotest.fail "nothing was raised"
  | exception Dromos.Misplaced text -> says text parts

let on_each f = List.iter f [ 1; 2; 3 ]

(* A scheduler of the program, with the given [ready]. *)
let under ?ends ready body =
  let line = Line.create () in
  let rec action () =
    Sched.action ~name:"mine" ~ready:(ready line) (function
      | Sched.Stop -> next ()
      | Preempt k ->
          Line.add line k;
          next ())
  and next () = Sched.run (action ()) (Line.take ~reason:"mine" line) in
  let ends vproc =
    Line.close line Sched.release;
    Option.iter (fun ends -> ends vproc) ends
  in
  Sched.Attached.run ~name:"mine"
    ~vprocs:[ Sched.Vproc.host () ]
    ~ends
    (fun _ -> next ())
    (fun () -> body (fun f -> Line.add line (Sched.fiber f)))

let waits () = Promise.await (Promise.create ())

(* The timer, another fiber, or a thread wakes the fiber. *)
let ready_waits () =
  let meeting = Dromos.Barrier.create 2 in
  let meet () = ignore (Dromos.Barrier.wait meeting : bool) in
  let by_a_thread () =
    Dromos.Suspend.suspend (fun resume ->
        let wake () = ignore (resume (Ok ()) : bool) in
        ignore (Thread.create wake () : Thread.t);
        None)
  in
  let ways =
    [
      [ (fun () -> Dromos.sleep 1e-3) ];
      [ meet; meet ];
      [ by_a_thread ];
      [ (fun () -> Dromos.blocking ignore) ];
    ]
  in
  on_each (fun workers ->
      List.iter
        (fun way ->
          misplaced [ {|The ready of the scheduler "mine"|}; "Promise.await" ]
            (fun () ->
              Dromos.run ~workers (fun () ->
                  under (fun _ _ -> waits ()) (fun spawn -> List.iter spawn way))))
        ways);
  (* The timer still works. *)
  Dromos.run (fun () -> Dromos.sleep 1e-3)

(* An operation without a wait succeeds. *)
let ready_locks () =
  let lock = Dromos.Mutex.create () and woken = Atomic.make 0 in
  let ready line k =
    Dromos.Mutex.protect lock (fun () -> Line.add line k);
    Atomic.incr woken
  in
  on_each (fun workers ->
      Dromos.run ~workers (fun () ->
          under ready (fun spawn ->
              for _ = 1 to 10 do
                spawn (fun () -> Dromos.sleep 1e-4)
              done)));
  Watch.check Alcotest.int "all came back" 30 (Atomic.get woken)

let ends_waits () =
  on_each (fun workers ->
      misplaced [ {|The ends of the scheduler "mine"|}; "Promise.await" ]
        (fun () ->
          Dromos.run ~workers (fun () ->
              under
                ~ends:(fun _ -> waits ())
                Line.add
                (fun spawn -> spawn ignore))))

let capture_waits () =
  let tried =
    [
      ("Promise.await", waits);
      ("yield", Dromos.yield);
      ("yield", Sched.yield);
      ( "Sched.capture",
        fun () -> Sched.capture (fun k -> Sched.forward (Preempt k)) );
    ]
  in
  on_each (fun workers ->
      List.iter
        (fun (name, wait) ->
          misplaced [ "The function given to Sched.capture"; name ] (fun () ->
              Dromos.run ~workers (fun () ->
                  Sched.capture (fun k ->
                      wait ();
                      Sched.forward (Preempt k)))))
        tried)

(* The promise is resolved nevertheless. *)
let promises () =
  on_each (fun workers ->
      Dromos.run ~workers (fun () ->
          let p = Promise.create () in
          let mapped = Promise.map waits p and told = Atomic.make false in
          Promise.on_result p (fun _ ->
              match waits () with
              | () -> ()
              | exception Dromos.Misplaced text ->
                  says text [ "Promise.on_result"; "Promise.await" ];
                  Atomic.set told true);
          Promise.resolve p ();
          misplaced [ "Promise.map"; "Promise.await" ] (fun () ->
              Promise.await mapped);
          Watch.check Alcotest.bool "told" true (Atomic.get told)))

(* The function's own frames are in the backtrace. *)
let backtraces () =
  let[@inline never] fails () = raise (Failure "mapped") in
  Dromos.run (fun () ->
      match Promise.result (Promise.map fails (Promise.return ())) with
      | Ok () -> Alcotest.fail "no failure"
      | Error (_, bt) ->
          says (Printexc.raw_backtrace_to_string bt) [ "callbacks.ml" ])

(* A run would block the thread of the timers. *)
let run_on_the_timers_thread () =
  let told = Promise.create () in
  Dromos.run (fun () ->
      let p = Promise.create () in
      Promise.on_result p (fun _ ->
          Promise.resolve told
            (match Dromos.run (fun () -> Dromos.sleep 1e-3) with
            | () -> "it ran"
            | exception Dromos.Misplaced text -> text));
      ignore
        (Dromos_service.Timer.after
           (Dromos_service.Timer.span ~call:"test" 1e-3)
           (Promise.resolve p)
          : Dromos_service.Timer.cancel);
      says (Promise.await told) [ "Dromos.run"; "timers" ];
      Dromos.sleep 1e-3)

let events () =
  let told = Atomic.make false in
  Dromos.run (fun () ->
      let started _ =
        match waits () with
        | () -> ()
        | exception Dromos.Misplaced text ->
            says text [ "Event.start"; "Promise.await" ];
            Atomic.set told true
      in
      ignore
        (Dromos_sync.Author.Event.start (Dromos.Event.always ()) started
          : unit -> bool));
  Watch.check Alcotest.bool "told" true (Atomic.get told)

(* A [ready] that was slow on the timer's thread once is called on another
   thread afterwards: here it ends only after a later timer has run. *)
let slow () =
  let calls = Atomic.make 0 and passed = Atomic.make false in
  let spin_until holds =
    while not (holds ()) do
      Domain.cpu_relax ()
    done
  in
  let ready line k =
    if Atomic.fetch_and_add calls 1 = 0 then begin
      let begun = Unix.gettimeofday () in
      spin_until (fun () -> Unix.gettimeofday () > begun +. 0.01)
    end
    else spin_until (fun () -> Atomic.get passed);
    Line.add line k
  in
  let other =
    Domain.spawn (fun () ->
        spin_until (fun () -> Atomic.get calls = 2);
        Dromos.run ~workers:1 (fun () -> Dromos.sleep 1e-3);
        Atomic.set passed true)
  in
  Dromos.run ~workers:1 (fun () ->
      under ready (fun spawn ->
          spawn (fun () ->
              Dromos.sleep 1e-3;
              Dromos.sleep 1e-3)));
  Domain.join other

(* Above a C frame, a fiber cannot be switched. *)
let from_c () =
  let inside_finaliser f =
    let outcome = ref None in
    let[@inline never] attach () =
      Gc.finalise
        (fun _ ->
          outcome := Some (match f () with () -> None | exception e -> Some e))
        (ref 0)
    in
    attach ();
    while !outcome = None do
      Gc.full_major ()
    done;
    Option.join !outcome
  in
  let refused name f =
    match inside_finaliser f with
    | Some (Dromos.Misplaced text) -> says text [ name; "finaliser" ]
    | Some e -> Alcotest.failf "%s: %s" name (Printexc.to_string e)
    | None -> Alcotest.failf "%s: not refused" name
  in
  Dromos.run ~workers:1 (fun () ->
      refused "Sched.yield" Sched.yield;
      refused "Sched.capture" (fun () ->
          Sched.capture (fun k -> Sched.forward (Preempt k)));
      Sched.Round_robin.run (fun () ->
          let engine = Sched.Engine.make ignore in
          let run () =
            Sched.Engine.run engine ~fuel:1
              ~complete:(fun () _ -> ())
              ~expire:ignore
          in
          refused "Engine.run" run;
          (* The engine can still be run elsewhere. *)
          run ());
      Watch.check Alcotest.bool "Dromos.yield does nothing" true
        (inside_finaliser Dromos.yield = None))

let cases =
  let case = Watch.case ~limit:30. in
  [
    case "ready waits" ready_waits;
    case "ready need not wait" ready_locks;
    case "ends waits" ends_waits;
    case "capture's function waits" capture_waits;
    case "callbacks of promises" promises;
    case "backtraces" backtraces;
    case "a run on the timers' thread" run_on_the_timers_thread;
    case "callbacks of events" events;
    case "a slow ready" slow;
    case "below C" from_c;
  ]
