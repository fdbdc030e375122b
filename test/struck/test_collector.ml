(* Exceptions of functions that the collector calls: finalisers, alarms of Gc,
   callbacks of Memprof. The exception ends the run, or the program's own code
   that was interrupted, once; nothing is lost, nothing hangs. *)

open Dromos

exception Struck
exception Later of int

let both_workers f = List.iter f [ 1; 2 ]

(* {1 Finalisers} *)

(* [raise_in n e]: a finaliser that a full collection calls raises [e]; [n]
   finalisers in all. *)
let raise_in n e =
  for _ = 1 to n do
    Gc.finalise (fun _ -> raise e) (ref 0)
  done

let ends_with what e f =
  match f () with
  | () -> Alcotest.failf "%s: returned, expected %s" what (Printexc.to_string e)
  | exception e' when e' = e -> ()
  | exception e' ->
      Alcotest.failf "%s: %s, expected %s" what (Printexc.to_string e')
        (Printexc.to_string e)

let pending () =
  both_workers @@ fun workers ->
  for n = 1 to 12 do
    ends_with (string_of_int n) Struck (fun () ->
        run ~workers (fun () ->
            raise_in n Struck;
            Gc.full_major ();
            sleep 60.))
  done

let in_last_form () =
  both_workers @@ fun workers ->
  ends_with "finalise_last" Struck (fun () ->
      run ~workers (fun () ->
          Gc.finalise_last (fun () -> raise Struck) (ref 0);
          Gc.full_major ();
          sleep 60.))

(* The interrupted fiber sees no exception, and can clean up. *)
let not_in_the_fiber () =
  let cleaned = ref false in
  ends_with "run" Struck (fun () ->
      run (fun () ->
          raise_in 1 Struck;
          (try Gc.full_major () with Struck -> Alcotest.fail "in the fiber");
          Fun.protect
            (fun () -> sleep 60.)
            ~finally:(fun () -> protect (fun () -> cleaned := true))));
  Watch.check Alcotest.bool "cleaned up" true !cleaned

let keeps_the_backtrace () =
  let backtraces = Printexc.backtrace_status () in
  Printexc.record_backtrace true;
  let[@inline never] raises _ = raise (Later 0) in
  (match
     run (fun () ->
         Gc.finalise (fun r -> raises r) (ref 0);
         Gc.full_major ();
         sleep 60.)
   with
  | () -> Alcotest.fail "returned"
  | exception Later 0 ->
      let text = Printexc.get_backtrace () in
      if not (Said.contains text "test_collector") then
        Alcotest.failf "the backtrace lost the finaliser: %s" text);
  Printexc.record_backtrace backtraces

let later_ones_follow () =
  match
    run (fun () ->
        for n = 1 to 3 do
          Gc.finalise (fun _ -> raise (Later n)) (ref 0)
        done;
        Gc.full_major ();
        sleep 60.)
  with
  | () -> Alcotest.fail "returned"
  | exception (Later _ as e) ->
      Watch.check Alcotest.int "later ones" 2 (List.length (suppressed e))

(* A finaliser in one of the next collections of a busy run: it strikes code of
   the scheduler too. *)
let busy =
  [
    ( "messages",
      fun () ->
        let c = Channel.create () in
        ignore
          (both
             (fun () ->
               for i = 1 to 5_000 do
                 Channel.send c i
               done)
             (fun () ->
               for _ = 1 to 5_000 do
                 ignore (Channel.recv c)
               done)) );
    ( "scope",
      fun () ->
        Scope.run (fun s ->
            for _ = 1 to 5_000 do
              Scope.fork s yield
            done) );
    ( "awaits",
      fun () ->
        for _ = 1 to 5_000 do
          await (async yield)
        done );
    ( "blocking",
      fun () ->
        for _ = 1 to 300 do
          blocking (fun () -> ignore (Sys.opaque_identity (ref 0)))
        done );
    ( "sleeps",
      fun () ->
        for _ = 1 to 100 do
          sleep 1e-5;
          Gc.minor ()
        done );
    ( "loops",
      fun () ->
        for _ = 1 to 20 do
          Par.for_ 0 1000 (fun _ -> ignore (Sys.opaque_identity (ref 0)))
        done );
  ]

let strike_in_collection f =
  let minors = 1 + Stdlib.Random.State.int Watch.chance 4 in
  let struck = Atomic.make false in
  let rec chain n _ =
    if n = 0 then begin
      Atomic.set struck true;
      raise Struck
    end
    else Gc.finalise_last (fun () -> chain (n - 1) ()) (ref 0)
  in
  let small = { (Gc.get ()) with minor_heap_size = 16384 } in
  Gc.set small;
  (* A finaliser that runs after the run raises in this code: at once, or at one of
     the next collections if it interrupted the end of the run. *)
  match
    chain minors ();
    f ();
    for _ = 1 to 8 do
      Gc.full_major ()
    done
  with
  | () -> if Atomic.get struck then Alcotest.fail "the exception is lost"
  | exception Struck -> ()

let in_busy_runs (_, f) () =
  let before = Gc.get () in
  both_workers (fun workers ->
      for _ = 1 to 15 do
        strike_in_collection (fun () -> run ~workers f)
      done);
  Gc.set before

(* {1 Threads of Dromos} *)

let reported f =
  let said = Said.on_stderr (fun _ -> f ()) in
  if not (Said.contains said "a finaliser raised") then
    Alcotest.failf "no report: %S" said

(* The finaliser belongs to the service domain, whose threads the timers need. *)
let on_service_threads finaliser () =
  both_workers @@ fun workers ->
  let m = Mutex.create () in
  reported (fun () ->
      run ~workers (fun () ->
          Mutex.lock m;
          blocking (fun () -> Gc.finalise (fun _ -> finaliser m) (ref 0));
          for _ = 1 to 5 do
            sleep 0.001;
            Gc.full_major ()
          done;
          sleep 0.1;
          Mutex.unlock m));
  run ~workers (fun () -> sleep 0.001)

let raises _ = failwith "close failed"
let waits m = Mutex.protect m ignore

(* On a thread of the program's that is in no run, OCaml's rule holds. *)
let on_a_plain_thread () =
  let got = ref "nothing" in
  let code () =
    raise_in 1 Struck;
    match Gc.full_major () with () -> () | exception Struck -> got := "Struck"
  in
  Domain.join (Domain.spawn code);
  Watch.check Alcotest.string "in the thread" "Struck" !got

(* A domain that begins inherits the finalisers of ended domains, before it has
   domain-local storage. *)
let inherited () =
  let small = Gc.get () in
  Gc.set { small with minor_heap_size = 4096 };
  let leave_one () = Gc.finalise_last (fun () -> raise Struck) (ref 0) in
  let quiet f = try f () with Struck -> () in
  ignore
    (Said.on_stderr (fun _ ->
         for _ = 1 to 40 do
           quiet (fun () -> Domain.join (Domain.spawn leave_one))
         done;
         quiet (fun () -> run ~workers:2 (fun () -> sleep 0.001));
         quiet Gc.full_major)
      : string);
  Gc.set small

(* On a thread in no run the exception reaches no code of Dromos. *)
let between_operations () =
  let permits = Semaphore.create 1 and var = Mvar.of_value 0 in
  let struck = Atomic.make 0 in
  let use () = Semaphore.with_permit permits (fun () -> Mvar.update var succ) in
  let attempt () =
    Gc.finalise_last (fun () -> raise Struck) (ref 0);
    try
      for _ = 1 to 200 do
        use ();
        ignore (Sys.opaque_identity (Bytes.create 500))
      done
    with Struck -> Atomic.incr struck
  in
  let before = Gc.get () in
  Gc.set { before with minor_heap_size = 4096 };
  ignore
    (Said.on_stderr (fun _ ->
         Domain.join
           (Domain.spawn (fun () ->
                for _ = 1 to 2000 do
                  try attempt () with Struck -> ()
                done)))
      : string);
  Gc.set before;
  if Atomic.get struck = 0 then Alcotest.fail "nothing was raised";
  Watch.check Alcotest.int "permits" 1 (Semaphore.permits permits);
  Watch.check Alcotest.bool "variable" true (Mvar.try_take var <> None)

(* A Runtime goes on, and the exception is reported. *)
let in_a_runtime () =
  both_workers @@ fun workers ->
  reported (fun () ->
      Runtime.with_ ~workers (fun r ->
          Runtime.run r (fun () ->
              raise_in 1 Struck;
              Gc.full_major ();
              yield ());
          Watch.check Alcotest.int "after" 42 (Runtime.run r (fun () -> 42))))

(* A finaliser is not called where the thread holds a lock that it may want. *)
let after_a_section () =
  let called = ref false in
  Dromos_service.Mask.protect (fun () ->
      Gc.finalise_last (fun () -> called := true) (ref 0);
      Gc.full_major ();
      Watch.check Alcotest.bool "inside" false !called);
  Watch.check Alcotest.bool "after" true !called

(* {1 The memory limit of OCaml's manual} *)

let with_limit words f =
  let look () =
    if (Gc.quick_stat ()).heap_words > words then raise Out_of_memory
  in
  let alarm = Gc.create_alarm look in
  Fun.protect f ~finally:(fun () -> Gc.delete_alarm alarm)

let memory_limit f () =
  both_workers @@ fun workers ->
  let keep = Atomic.make [] in
  let rec push x =
    let all = Atomic.get keep in
    if not (Atomic.compare_and_set keep all (x :: all)) then push x
  in
  let limit = (Gc.quick_stat ()).heap_words + 2_000_000 in
  ends_with "limit" Out_of_memory (fun () ->
      with_limit limit (fun () -> run ~workers (fun () -> f push)));
  Atomic.set keep [];
  Gc.compact ()

let endless_messages push =
  let c = Channel.create () in
  ignore
    (both
       (fun () ->
         while true do
           Channel.send c (Bytes.create 200)
         done)
       (fun () ->
         while true do
           push (Channel.recv c)
         done))

let endless_tasks push =
  Scope.run (fun s ->
      while true do
        Scope.fork s (fun () ->
            push (Bytes.create 300);
            yield ());
        yield ()
      done)

let endless_sleeps push =
  while true do
    sleep 1e-5;
    push (Bytes.create 50_000)
  done

let endless_loops push =
  while true do
    Par.for_ 0 1000 (fun _ -> push (Bytes.create 100))
  done

(* {1 Callbacks of Memprof} *)

(* The hook is called at the [at]th allocation in [f] alone: not while the
   profile begins or ends. *)
let allocating ~at hook f =
  let inside = ref false in
  let count = ref 0 in
  let note _ =
    if !inside then begin
      incr count;
      if !count = at then hook ()
    end;
    None
  in
  let tracker =
    { Gc.Memprof.null_tracker with alloc_minor = note; alloc_major = note }
  in
  let (_ : Gc.Memprof.t) =
    Gc.Memprof.start ~sampling_rate:1. ~callstack_size:0 tracker
  in
  let result =
    match
      inside := true;
      f ();
      inside := false
    with
    | () -> Ok !count
    | exception e ->
        inside := false;
        Error e
  in
  Gc.Memprof.stop ();
  result

(* The whole run under a profile whose callback raises at the [at]th allocation:
   of the run's beginning, the operation, the scheduler, the end. *)
let struck_at at f =
  let struck = ref false in
  let hook () =
    struck := true;
    raise Struck
  in
  match allocating ~at hook f with
  | Ok _ when !struck ->
      Alcotest.failf "allocation %d: the exception is lost" at
  | result -> result

(* A [Runtime] reports the exception, and goes on. Full collections call the
   profile on threads of Dromos too, which report the exception. *)
let in_runs =
  let others = [ "Runtime.submit"; "Broadcast, dropped subscriptions" ] in
  List.filter (fun (name, _) -> not (List.mem name others)) Operations.all

let at_allocations (_, make) () =
  both_workers @@ fun workers ->
  let body () =
    run ~workers (fun () ->
        let op, check = make () in
        op ();
        check { Operations.fine = 1; over = 0 })
  in
  match struck_at max_int body with
  | Error e -> raise e
  | Ok allocations ->
      for _ = 1 to 20 do
        let at = 1 + Stdlib.Random.State.int Watch.chance allocations in
        (match struck_at at body with
        | Ok _ | Error Struck -> ()
        | Error e ->
            Alcotest.failf "allocation %d: %s" at (Printexc.to_string e));
        run ~workers ignore
      done

(* In the program's own code the exception is raised in place: memprof-limits
   ends a computation so, and the run goes on. *)
let in_place () =
  both_workers @@ fun workers ->
  let task () =
    allocating ~at:1
      (fun () -> raise Struck)
      (fun () -> ignore (Sys.opaque_identity (ref 0)))
  in
  match run ~workers task with
  | Error Struck -> ()
  | Error e -> raise e
  | Ok _ -> Alcotest.fail "not raised"

(* {1 Ends of domains} *)

let at_the_end_of_domains () =
  for _ = 1 to 3 do
    run ~workers:2 (fun () ->
        Scope.run (fun s ->
            for _ = 1 to 8 do
              Scope.fork s (fun () ->
                  if not (Domain.is_main_domain ()) then
                    Domain.at_exit (fun () -> raise Struck);
                  sleep 0.001)
            done));
    (* Idle domains retire. *)
    Unix.sleepf 0.3
  done;
  run ~workers:2 (fun () -> sleep 0.001)

let () =
  if not Dromos_fiber.Gc_guard.active then
    print_endline "collector: skipped, this system has no guards"
  else
    Watch.suite "collector" @@ fun () ->
    let case = Watch.case in
    Alcotest.run "collector"
      [
        ( "finalisers",
          [
            case "pending" pending;
            case "finalise_last" in_last_form;
            case "not in the fiber" not_in_the_fiber;
            case "backtrace" keeps_the_backtrace;
            case "later ones follow" later_ones_follow;
            case "raises on a thread of the service" (on_service_threads raises);
            case "waits on a thread of the service" (on_service_threads waits);
            case "plain thread" on_a_plain_thread;
            case "inherited by a domain" inherited;
            case "between operations" between_operations;
            case "after a section" after_a_section;
            case "Runtime" in_a_runtime;
          ] );
        ( "busy runs",
          List.map (fun (name, f) -> case name (in_busy_runs (name, f))) busy );
        ( "memory limit",
          [
            case "messages" (memory_limit endless_messages);
            case "tasks" (memory_limit endless_tasks);
            case "sleeps" (memory_limit endless_sleeps);
            case "loops" (memory_limit endless_loops);
          ] );
        ( "memprof",
          case "in place" in_place
          :: List.map
               (fun (name, make) -> case name (at_allocations (name, make)))
               in_runs );
        ("domains", [ case "at_exit" at_the_end_of_domains ]);
      ]
