(* Dromos first: Async in a domain of its own. *)

open Bridged
module Channel = Dromos_sync.Channel
module Event = Dromos_sync.Event
module Promise = Dromos_sync.Promise
module Deferred = Async_kernel.Deferred
module Monitor = Async_kernel.Monitor

let int = Watch.check Alcotest.int
let bool = Watch.check Alcotest.bool
let await = Dromos_async.await
let sync = Dromos_async.sync
let return = Deferred.return
let ( let* ) d f = Deferred.bind d ~f
let ( let+ ) d f = Deferred.map d ~f
let pause ms = Async_kernel.Clock_ns.after (Core.Time_ns.Span.of_ms ms)
let contains = Said.contains

let refused f words =
  match f () with
  | _ -> Alcotest.fail "not refused"
  | exception Dromos.Misplaced text ->
      List.iter (fun w -> bool (text ^ ": " ^ w) true (contains text w)) words

(* {1 Before Async} *)

let unknown () =
  refused (fun () -> await return) [ "Dromos_async.await"; "start" ];
  let other =
    Domain.spawn (fun () ->
        refused (fun () -> sync Event.never) [ "Dromos_async.sync"; "await" ])
  in
  Domain.join other

let starting () =
  (* Several domains start Async at once; one domain for Async is made. The
     domain records backtraces if the starter does. *)
  let starter () =
    Printexc.record_backtrace true;
    Dromos_async.start ()
  in
  let starters = List.init 3 (fun _ -> Domain.spawn starter) in
  Dromos_async.start ();
  List.iter Domain.join starters;
  let domains =
    List.init 3 (fun _ -> await (fun () -> return (Domain.self ())))
  in
  bool "one domain" true (List.for_all (( = ) (List.hd domains)) domains);
  bool "not this one" true (List.hd domains <> Domain.self ());
  await (fun () ->
      Dromos_async.start ();
      return ())

(* {1 Values} *)

let from_everywhere () =
  let ask n () =
    await (fun () ->
        let+ () = pause 1. in
        n)
  in
  int "main thread" 1 (ask 1 ());
  int "at once" 2 (await (fun () -> return 2));
  let domain = Domain.spawn (ask 3) in
  let got = ref 0 in
  let thread = Thread.create (fun () -> got := ask 4 ()) () in
  Thread.join thread;
  int "systhread" 4 !got;
  int "domain" 3 (Domain.join domain);
  Watch.check
    Alcotest.(list int)
    "fibers" [ 5; 6; 7 ]
    (Dromos.run (fun () -> Dromos.all [ ask 5; ask 6; ask 7 ]));
  (* A thread of Async's own domain. *)
  int "In_thread" 8 (await (fun () -> Async_unix.In_thread.run (ask 8)))

let structures () =
  let question = Channel.create () and answer = Channel.create () in
  let rec serve () =
    let* n = sync (Channel.recv_event question) in
    if n = 0 then return ()
    else
      let* () = sync (Channel.send_event answer (2 * n)) in
      serve ()
  in
  Dromos.run (fun () ->
      let server = Dromos.async (fun () -> await serve) in
      for n = 1 to 100 do
        Channel.send question n;
        int "answer" (2 * n) (Channel.recv answer)
      done;
      Channel.send question 0;
      Dromos.await server);
  int "both ends in Async" 5
    (await (fun () ->
         let r = sync (Channel.recv_event question) in
         let* () = sync (Channel.send_event question 5) in
         r));
  bool "at once" true
    (await (fun () -> return (Deferred.is_determined (sync (Event.always ())))))

let promises () =
  let p =
    await (fun () ->
        return
          (Dromos_async.to_promise
             (let+ () = pause 2. in
              7)))
  in
  int "a deferred, elsewhere" 7 (Promise.await p);
  let c : int Channel.t = Channel.create () in
  let give_up () =
    let stop = Dromos_async.to_promise (pause 1.) in
    sync
      (Event.choose
         [
           Event.wrap (Channel.recv_event c) Option.some;
           Event.wrap (Promise.await_event stop) (fun () -> None);
         ])
  in
  bool "given up" true (await give_up = None);
  (* The receiver has left. *)
  bool "withdrawn" true (Event.poll (Channel.send_event c 1) = None)

(* {1 Exceptions} *)

let trace_of e =
  match e with
  | Monitor.Monitor_exn e -> Option.get (Monitor.Monitor_exn.backtrace e)
  | _ -> Alcotest.fail "not wrapped by a monitor"

let exceptions_to_async () =
  let fails what event =
    match await (fun () -> Monitor.try_with (fun () -> sync (event ()))) with
    | Ok () -> Alcotest.fail (what ^ ": no exception")
    | Error e ->
        bool what true (Monitor.extract_exn e = Boom 7);
        bool (what ^ ": backtrace") true (names_raising (trace_of e))
  in
  let raise_it () = raising 7 in
  fails "wrap" (fun () -> Event.wrap (Event.always ()) raise_it);
  fails "guard" (fun () -> Event.guard raise_it);
  fails "wrap, later" (fun () -> Event.wrap (Event.timeout 0.002) raise_it);
  fails "an error of a Dromos task" (fun () ->
      let p = Promise.create () in
      let fail () =
        Printexc.record_backtrace true;
        match raising 7 with
        | () -> ()
        | exception e -> Promise.fail p e (Printexc.get_raw_backtrace ())
      in
      let (_ : unit Domain.t) = Domain.spawn fail in
      Promise.await_event p)

(* An exception goes to the monitor of the call that waited, although other
   calls, under other monitors, wait for the same promise. *)
let right_monitor () =
  let gate = Promise.create () in
  let one n () =
    Monitor.try_with ~extract_exn:true (fun () ->
        sync (Event.wrap (Promise.await_event gate) (fun () -> raise (Boom n))))
  in
  let all =
    Dromos.run (fun () ->
        let all =
          Dromos.async (fun () ->
              await (fun () -> Deferred.all (List.init 50 (fun n -> one n ()))))
        in
        Promise.resolve gate ();
        Dromos.await all)
  in
  List.iteri (fun n r -> bool "its own" true (r = Error (Boom n))) all

let exceptions_from_async () =
  let fails what f =
    match await f with
    | () -> Alcotest.fail (what ^ ": no exception")
    | exception Boom 8 ->
        let bt = Printexc.get_raw_backtrace () in
        bool (what ^ ": backtrace") true (names_raising bt)
  in
  let all () =
    fails "at once" (fun () -> raising 8);
    fails "later" (fun () ->
        let* () = pause 1. in
        raising 8);
    fails "beside" (fun () ->
        Async_kernel.don't_wait_for
          (let* () = pause 1. in
           raising 8);
        Deferred.never ())
  in
  all ();
  Dromos.run all;
  int "Async goes on" 1 (await (fun () -> return 1))

(* {1 Cancellation} *)

let cancelled () =
  let began = Promise.create () and goes_on = Promise.create () in
  let gate = Promise.create () in
  let left = ref false in
  Dromos.run (fun () ->
      Dromos.Scope.run (fun scope ->
          Dromos.Scope.fork scope (fun () ->
              match
                await (fun () ->
                    Promise.resolve began ();
                    let+ n = sync (Promise.await_event gate) in
                    Promise.resolve goes_on n)
              with
              | () -> ()
              | exception e ->
                  left := true;
                  raise e);
          Promise.await began;
          Dromos.Scope.cancel scope));
  bool "left" true !left;
  bool "and the Async code was still there" false (Promise.is_resolved goes_on);
  Promise.resolve gate 3;
  int "to go on" 3 (Promise.await goes_on)

(* Cancelled while Async is busy: Async never begins the posted code. *)
let cancelled_before () =
  let busy = Promise.create () and go = Atomic.make false in
  let hog =
    Domain.spawn (fun () ->
        await (fun () ->
            Promise.resolve busy ();
            while not (Atomic.get go) do
              Domain.cpu_relax ()
            done;
            return ()))
  in
  Promise.await busy;
  let began = Atomic.make false in
  Dromos.run (fun () ->
      Dromos.Scope.run (fun scope ->
          Dromos.Scope.fork scope (fun () ->
              await (fun () ->
                  Atomic.set began true;
                  return ()));
          (* Gives the forked fiber time to ask. If the fiber needs more time,
             it is cancelled before it asks; the test passes in both cases. *)
          Event.sync (Event.timeout 0.01);
          Dromos.Scope.cancel scope));
  Atomic.set go true;
  Domain.join hog;
  await (fun () -> return ());
  bool "never begun" false (Atomic.get began)

(* A storm of timeouts around Async code; some code finishes, and some is
   left. *)
let storm () =
  let rounds = 300 in
  let finished = Atomic.make 0 and late = Atomic.make 0 in
  let one () =
    let wait = Random.State.float Watch.chance 4. in
    let limit = Random.State.float Watch.chance 0.004 in
    fun () ->
      match Dromos.timeout limit (fun () -> await (fun () -> pause wait)) with
      | () -> Atomic.incr finished
      | exception _ -> Atomic.incr late
  in
  let tasks = List.init rounds (fun _ -> one ()) in
  Dromos.run (fun () -> ignore (Dromos.all tasks : unit list));
  int "all ended" rounds (Atomic.get finished + Atomic.get late);
  Printf.printf "%d finished, %d left\n" (Atomic.get finished) (Atomic.get late)

(* {1 Load} *)

let crossings = 10_000

(* Dromos tasks and Async code ask each other. *)
let many () =
  let width = 50 in
  let each = crossings / width in
  let sum = Atomic.make 0 in
  let ask () =
    for i = 1 to each do
      ignore (Atomic.fetch_and_add sum (await (fun () -> return i)) : int)
    done
  in
  Dromos.run ~workers:2 (fun () ->
      ignore (Dromos.all (List.init width (fun _ -> ask)) : unit list));
  int "in Async" (width * (each * (each + 1) / 2)) (Atomic.get sum)

let many_back () =
  let c = Channel.create () in
  let rec receive sum n =
    if n = 0 then return sum
    else
      let* i = sync (Channel.recv_event c) in
      receive (sum + i) (n - 1)
  in
  let receivers = 10 and senders = 5 in
  let sum = ref 0 in
  Dromos.run ~workers:2 (fun () ->
      let received =
        Dromos.async (fun () ->
            await (fun () ->
                Deferred.all
                  (List.init receivers (fun _ ->
                       receive 0 (crossings / receivers)))))
      in
      let send () =
        for i = 1 to crossings / senders do
          Channel.send c i
        done
      in
      ignore (Dromos.all (List.init senders (fun _ -> send)) : unit list);
      sum := List.fold_left ( + ) 0 (Dromos.await received));
  let each = crossings / senders in
  int "every message once" (senders * (each * (each + 1) / 2)) !sum

(* {1 Misuse} *)

let misuse () =
  let inside f =
    await (fun () ->
        f ();
        return ())
  in
  inside (fun () ->
      refused
        (fun () -> await (fun () -> return ()))
        [ "Dromos_async.await"; "would block"; "In_thread" ]);
  inside (misplaced "dromos-async");
  refused (fun () -> sync Event.never) [ "Dromos_async.sync"; "lock"; "await" ];
  Dromos.run (fun () ->
      refused
        (fun () -> Dromos_async.to_promise (return ()))
        [ "Dromos_async.to_promise"; "await" ]);
  await (fun () ->
      Async_unix.In_thread.run (fun () ->
          (* Another thread of Async's domain is not Async code; the thread may
             call [Dromos.run]. *)
          refused (fun () -> sync Event.never) [ "Dromos_async.sync"; "lock" ];
          int "Dromos.run" 3 (Dromos.run ~workers:1 (fun () -> 3))))

let () =
  Watch.suite "dromos-async" @@ fun () ->
  Printexc.record_backtrace true;
  let case = Watch.case in
  Alcotest.run "dromos-async"
    [
      ("start", [ case "unknown" unknown; case "start" starting ]);
      ( "values",
        [
          case "from everywhere" from_everywhere;
          case "structures" structures;
          case "promises" promises;
        ] );
      ( "exceptions",
        [
          case "to Async" exceptions_to_async;
          case "to the right monitor" right_monitor;
          case "from Async" exceptions_from_async;
        ] );
      ( "cancellation",
        [
          case "in Async" cancelled;
          case "before Async" cancelled_before;
          case "storm" storm;
        ] );
      ( "load",
        [
          case (Printf.sprintf "%d calls" crossings) many;
          case (Printf.sprintf "%d messages" crossings) many_back;
        ] );
      ("misuse", [ case "misuse" misuse ]);
    ]
