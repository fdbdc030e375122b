(* Code of Picos, unchanged, in fibers of Dromos. *)

open Picos
open Picos_std_structured
open Picos_std_sync
module Event = Picos_std_event.Event

exception Stop

let no_bt = Printexc.get_callstack 0
let bool = Watch.check Alcotest.bool
let int = Watch.check Alcotest.int
let string = Watch.check Alcotest.string

(* Each test with one, two and four workers. *)
let every f () = List.iter (fun workers -> f ~workers) [ 1; 2; 4 ]
let run ~workers f = Dromos.run ~workers f

let outcome f =
  match f () with
  | _ -> "value"
  | exception Stop -> "Stop"
  | exception Dromos.Cancelled -> "Cancelled"
  | exception Control.Terminate -> "Terminate"
  | exception e -> Printexc.to_string e

let spawn ?(forbid = false) computation f =
  Fiber.spawn (Fiber.create ~forbid computation) (fun fiber -> f fiber)

(* Long enough for a forbidden event to happen. *)
let moment = 0.02

(* {1 Each effect} *)

let current ~workers =
  run ~workers (fun () ->
      let fiber = Fiber.current () in
      bool "the same" true (Fiber.equal fiber (Fiber.current ()));
      Dromos.sleep 0.001;
      bool "after a wait" true (Fiber.equal fiber (Fiber.current ()));
      bool "in a scope of its" true
        (Dromos.Scope.run (fun _ -> Fiber.equal fiber (Fiber.current ())));
      let key = Fiber.FLS.create () in
      Fiber.FLS.set fiber key 1;
      let others =
        List.init 20 (fun _ ->
            Dromos.async (fun () ->
                let it = Fiber.current () in
                bool "another" false (Fiber.equal fiber it);
                int "inherits nothing" 0 (Fiber.FLS.get it key ~default:0);
                Fiber.FLS.set it key 2))
      in
      List.iter Dromos.await others;
      bool "after awaiting" true (Fiber.equal fiber (Fiber.current ()));
      int "its own" 1 (Fiber.FLS.get (Fiber.current ()) key ~default:0))

let nowhere () =
  match Fiber.current () with
  | _ -> Alcotest.fail "answered outside of a run"
  | exception Effect.Unhandled _ -> ()

let await ~workers =
  run ~workers (fun () ->
      let t = Trigger.create () in
      Trigger.signal t;
      bool "signalled before" true (Trigger.await t = None);
      let t = Trigger.create () in
      let d = Domain.spawn (fun () -> Trigger.signal t) in
      bool "by a domain" true (Trigger.await t = None);
      Domain.join d;
      let t = Trigger.create () in
      let thread = Thread.create (fun () -> Trigger.signal t) () in
      bool "by a thread" true (Trigger.await t = None);
      Thread.join thread;
      let t = Trigger.create () in
      ignore (Dromos.async (fun () -> Trigger.signal t) : unit Dromos.Promise.t);
      bool "by a fiber" true (Trigger.await t = None);
      Trigger.signal t;
      bool "twice" true (Trigger.await t = None))

(* The signal comes before, while and after the fiber suspends. *)
let racing ~workers =
  run ~workers (fun () ->
      let cell = Atomic.make None and over = Atomic.make false in
      let signaller =
        Domain.spawn (fun () ->
            while not (Atomic.get over) do
              match Atomic.exchange cell None with
              | None -> Domain.cpu_relax ()
              | Some t ->
                  Trigger.signal t;
                  Trigger.signal t
            done)
      in
      for _ = 1 to 20_000 do
        let t = Trigger.create () in
        Atomic.set cell (Some t);
        if Trigger.await t <> None then Alcotest.fail "cancelled"
      done;
      Atomic.set over true;
      Domain.join signaller)

(* Signal, cancellation of the computation and cancellation of the scope at
   once: the fiber continues once, and a cancelled fiber gets the exception. *)
let three_at_once ~workers =
  run ~workers (fun () ->
      for i = 1 to 1000 do
        let t = Trigger.create () and computation = Computation.create () in
        let times = Atomic.make 0 in
        let all =
          [|
            (fun _ -> Trigger.signal t);
            (fun _ -> Computation.cancel computation Stop no_bt);
            Dromos.Scope.cancel;
          |]
        in
        Dromos.Scope.run (fun scope ->
            Dromos.Scope.fork scope (fun () ->
                let fiber = Fiber.current () in
                let before = Fiber.get_computation fiber in
                Fiber.set_computation fiber (Packed computation);
                ignore (Trigger.await t : _ option);
                ignore (Atomic.fetch_and_add times 1 : int);
                Fiber.set_computation fiber before);
            for n = 0 to 2 do
              let f = all.((i + n) mod 3) in
              ignore (Dromos.async (fun () -> f scope) : unit Dromos.Promise.t)
            done;
            Dromos.protect (fun () -> Dromos.yield ()))
        |> ignore;
        if Atomic.get times > 1 then Alcotest.fail "went on twice"
      done)

let yields ~workers =
  run ~workers (fun () ->
      let turns = Atomic.make 0 in
      let computation = Computation.create () in
      spawn computation (fun _ ->
          for _ = 1 to 1000 do
            Atomic.incr turns;
            Fiber.yield ()
          done;
          Computation.finish computation);
      while Computation.is_running computation do
        Fiber.yield ()
      done;
      int "all" 1000 (Atomic.get turns))

let many ~workers =
  let n = 100_000 in
  let count = Atomic.make 0 in
  run ~workers (fun () ->
      let computation = Computation.create () in
      for _ = 1 to n do
        spawn computation (fun _ -> Atomic.incr count)
      done);
  int "the run waits for all of them" n (Atomic.get count)

let spawned ~workers =
  let key = Dromos.Fls.new_key () in
  run ~workers (fun () ->
      Dromos.Fls.set key 7;
      let computation = Computation.create () in
      let fiber = Fiber.create ~forbid:true computation in
      Fiber.spawn fiber (fun it ->
          bool "the fiber" true (Fiber.equal fiber it);
          bool "is current" true (Fiber.equal fiber (Fiber.current ()));
          bool "forbids" true (Fiber.has_forbidden (Fiber.current ()));
          Computation.return computation (Dromos.Fls.find_opt key));
      bool "with the storage" true (Computation.await computation = Some 7))

let outlives ~workers =
  run ~workers (fun () ->
      let go = Trigger.create () and over = Trigger.create () in
      Dromos.Scope.run (fun _ ->
          spawn (Computation.create ()) (fun _ ->
              ignore (Trigger.await go);
              Trigger.signal over));
      Trigger.signal go;
      bool "goes on after the scope" true (Trigger.await over = None))

let spawned_cancelled ~workers =
  let begun = Atomic.make 0 in
  run ~workers (fun () ->
      let computation = Computation.create () in
      Computation.cancel computation Stop no_bt;
      for _ = 1 to 100 do
        spawn computation (fun fiber ->
            Atomic.incr begun;
            bool "cancelled" true (Fiber.is_canceled fiber))
      done);
  int "main is called all the same" 100 (Atomic.get begun)

let uncaught ~workers =
  let other = Atomic.make "" in
  let f () =
    run ~workers (fun () ->
        spawn (Computation.create ()) (fun _ ->
            match Trigger.await (Trigger.create ()) with
            | Some (e, _) -> Atomic.set other (Printexc.to_string e)
            | None -> ());
        spawn (Computation.create ()) (fun _ ->
            Fiber.yield ();
            raise Stop);
        ignore (Trigger.await (Trigger.create ())))
  in
  string "fails the run" "Stop" (outcome f);
  string "and cancels the others"
    (Printexc.to_string Control.Terminate)
    (Atomic.get other)

let[@inline never] raising () = raise Stop

let backtrace ~workers =
  let said =
    match
      run ~workers (fun () ->
          let p = Computation.create () in
          spawn p (fun _ -> Computation.capture p raising ());
          Computation.await p)
    with
    | () -> ""
    | exception Stop -> Printexc.get_backtrace ()
  in
  let part = "raising" in
  let is_at i =
    i + String.length part <= String.length said
    && String.sub said i (String.length part) = part
  in
  let found = List.exists is_at (List.init (String.length said) Fun.id) in
  bool ("where it was raised: " ^ said) true found

let cancel_after ~workers =
  run ~workers (fun () ->
      let c = Computation.create () in
      let began = Unix.gettimeofday () in
      Computation.cancel_after c ~seconds:0.01 Stop no_bt;
      string "in time" "Stop" (outcome (fun () -> Computation.await c));
      bool "not before" true (Unix.gettimeofday () -. began > 0.009);
      let c = Computation.create () in
      Computation.cancel_after c ~seconds:0. Stop no_bt;
      string "at once" "Stop" (outcome (fun () -> Computation.await c));
      let before = Dromos_service.Timer.pending () in
      for _ = 1 to 1000 do
        let c = Computation.create () in
        Computation.cancel_after c ~seconds:3600. Stop no_bt;
        Computation.finish c
      done;
      let c = Computation.finished in
      Computation.cancel_after c ~seconds:3600. Stop no_bt;
      Dromos.sleep 0.001;
      (* The run has timers of its own. *)
      bool "taken back" true (Dromos_service.Timer.pending () < before + 10);
      let c = Computation.create () in
      Computation.cancel_after c ~seconds:infinity Stop no_bt;
      Computation.finish c;
      Control.sleep ~seconds:0.01)

(* {1 Cancellation} *)

(* The scope is cancelled, and code of Picos notices, in each kind of
   operation. *)
let by_scope ~workers =
  let operations =
    [
      ("await", fun () -> Control.block ());
      ( "lock",
        fun () ->
          let m = Mutex.create () in
          Mutex.lock ~checked:false m;
          Mutex.lock ~checked:false m );
      ( "yield",
        fun () ->
          while true do
            Fiber.yield ()
          done );
      ( "check",
        fun () ->
          while true do
            Control.raise_if_canceled ()
          done );
      ("sleep", fun () -> Control.sleep ~seconds:60.);
      ( "flock",
        fun () ->
          Flock.join_after (fun () ->
              for _ = 1 to 10 do
                Flock.fork Control.block
              done) );
      ( "flock in a flock",
        fun () ->
          Flock.join_after (fun () ->
              Flock.fork (fun () ->
                  Flock.join_after (fun () -> Flock.fork Control.block))) );
      ( "spinning in a flock",
        fun () ->
          Flock.join_after (fun () ->
              Flock.fork (fun () ->
                  while true do
                    Control.raise_if_canceled ();
                    Domain.cpu_relax ()
                  done)) );
      ( "a wait of ours in a flock",
        fun () ->
          Flock.join_after (fun () ->
              Flock.fork (fun () ->
                  Dromos.Channel.recv (Dromos.Channel.create ()))) );
      ( "a scope in a flock in a scope",
        fun () ->
          Flock.join_after (fun () ->
              Dromos.Scope.run (fun _ ->
                  Flock.join_after (fun () -> Flock.fork Control.block))) );
    ]
  in
  List.iter
    (fun (name, operation) ->
      if not (name = "spinning in a flock" && workers = 1) then
        let said =
          run ~workers (fun () ->
              let said = outcome (fun () -> Dromos.timeout moment operation) in
              (* Nothing of the cancellation is left. *)
              Control.raise_if_canceled ();
              Control.yield ();
              Control.sleep ~seconds:0.;
              said)
        in
        string name (Printexc.to_string Dromos.Timeout) said)
    operations

(* A computation of Picos is cancelled, and waits of Dromos notice. *)
let by_computation ~workers =
  let waits =
    [
      ("recv", fun () -> Dromos.Channel.recv (Dromos.Channel.create ()));
      ("sleep", fun () -> Dromos.sleep 60.);
      ("scope", fun () -> Dromos.Scope.run (fun _ -> Dromos.sleep 60.));
      ( "scope's task",
        fun () ->
          Dromos.Scope.run (fun scope ->
              Dromos.await
                (Dromos.Scope.async scope (fun () -> Dromos.sleep 0.05))) );
      ("promise", fun () -> Dromos.await (Dromos.Promise.create ()));
    ]
  in
  List.iter
    (fun (name, wait) ->
      let saw = Atomic.make "" in
      let said =
        outcome (fun () ->
            run ~workers (fun () ->
                Flock.join_after (fun () ->
                    Flock.fork (fun () ->
                        match wait () with
                        | () -> ()
                        | exception e ->
                            Atomic.set saw (outcome (fun () -> raise e));
                            raise e);
                    Dromos.sleep moment;
                    raise Stop)))
      in
      string name "Stop" said;
      string (name ^ ", the fiber") "Terminate" (Atomic.get saw))
    waits

(* Both resume the fiber at once; nothing is left on the computation. *)
let both_at_once ~workers =
  run ~workers (fun () ->
      for _ = 1 to 2000 do
        let c = Computation.create () in
        let got = Atomic.make 0 in
        let resume = Atomic.make None in
        spawn c (fun _ ->
            (match
               Dromos_suspend.suspend (fun r ->
                   Atomic.set resume (Some r);
                   None)
             with
            | () -> ()
            | exception Stop -> ());
            Atomic.incr got);
        let rec resumer () =
          match Atomic.get resume with
          | Some r -> r
          | None ->
              Fiber.yield ();
              resumer ()
        in
        let r = resumer () in
        let a = Dromos.async (fun () -> Computation.cancel c Stop no_bt) in
        let (_ : bool) = r (Ok ()) in
        Dromos.await a;
        bool "a second time" false (r (Ok ()));
        while Atomic.get got = 0 do
          Fiber.yield ()
        done;
        int "once" 1 (Atomic.get got)
      done)

let live () =
  Gc.full_major ();
  (Gc.stat ()).live_words

let grows n f =
  for _ = 1 to 1000 do
    f ()
  done;
  let before = live () in
  for _ = 1 to n do
    f ()
  done;
  live () - before

(* Nothing grows with finished waits on one computation, whether they were
   resumed before the suspension or after, nor with scopes in flocks and flocks in
   scopes. *)
let nothing_left ~workers =
  run ~workers (fun () ->
      let c = Computation.create () and channel = Dromos.Channel.create () in
      let at_once () =
        Dromos_suspend.suspend (fun r ->
            ignore (r (Ok ()) : bool);
            None)
      in
      spawn c (fun _ ->
          let words = grows 20_000 at_once in
          let later =
            grows 20_000 (fun () -> Dromos.Channel.send channel true)
          in
          Dromos.Channel.send channel false;
          Computation.return c (words, later));
      while Dromos.Channel.recv channel do
        ()
      done;
      let at_once, later = Computation.await c in
      bool "resumed at once" true (at_once < 20_000);
      bool "resumed later" true (later < 20_000);
      let scope_in_flock () =
        Flock.join_after (fun () -> Dromos.Scope.run (fun _ -> Fiber.yield ()))
      and flock_in_scope () =
        Dromos.Scope.run (fun _ -> Flock.join_after Fiber.yield);
        Dromos.protect (fun () -> Fiber.yield ())
      in
      bool "scopes in flocks" true (grows 5000 scope_in_flock < 20_000);
      bool "flocks in scopes" true (grows 5000 flock_in_scope < 20_000);
      Flock.join_after (fun () ->
          bool "the same, in a flock" true (grows 5000 scope_in_flock < 20_000);
          bool "in a flock too" true (grows 5000 flock_in_scope < 20_000)))

let forbid ~workers =
  run ~workers (fun () ->
      let left = Atomic.make [] in
      let note s = Atomic.set left (s :: Atomic.get left) in
      let said =
        outcome (fun () ->
            Dromos.timeout moment (fun () ->
                Control.protect (fun () ->
                    let c = Computation.create () in
                    Computation.cancel_after c ~seconds:(3. *. moment) Stop
                      no_bt;
                    Computation.wait c;
                    note "await";
                    Fiber.yield ();
                    note "yield";
                    Dromos.sleep 0.001;
                    note "sleep");
                Control.raise_if_canceled ();
                note "too far"))
      in
      string "then" (Printexc.to_string Dromos.Timeout) said;
      string "through all" "await yield sleep"
        (String.concat " " (List.rev (Atomic.get left))))

let protect ~workers =
  run ~workers (fun () ->
      let left = Atomic.make 0 in
      let said =
        outcome (fun () ->
            Dromos.timeout moment (fun () ->
                Dromos.protect (fun () ->
                    let c = Computation.create () in
                    Computation.cancel_after c ~seconds:(3. *. moment) Stop
                      no_bt;
                    Computation.wait c;
                    Control.raise_if_canceled ();
                    Fiber.yield ();
                    Atomic.incr left);
                Control.raise_if_canceled ();
                Atomic.incr left))
      in
      string "then" (Printexc.to_string Dromos.Timeout) said;
      int "through" 1 (Atomic.get left))

(* The cancellation of a scope inside a flock does not end the flock. *)
let inner_scope ~workers =
  run ~workers (fun () ->
      let n = Atomic.make 0 and forked = ref 1 in
      Flock.join_after (fun () ->
          let go = Trigger.create () in
          Flock.fork (fun () ->
              ignore (Trigger.await go);
              Atomic.incr n);
          for _ = 1 to 10 do
            match
              Dromos.timeout 0.001 (fun () ->
                  Flock.fork (fun () -> Atomic.incr n);
                  incr forked;
                  Control.block ())
            with
            | () -> ()
            | exception Dromos.Timeout -> Control.raise_if_canceled ()
          done;
          Control.yield ();
          Trigger.signal go);
      int "all of them" !forked (Atomic.get n))

let run_ends ~workers =
  let ended = Atomic.make 0 in
  let f () =
    run ~workers (fun () ->
        for _ = 1 to 10 do
          spawn (Computation.create ()) (fun _ ->
              Fun.protect
                ~finally:(fun () -> Atomic.incr ended)
                (fun () ->
                  while true do
                    Control.raise_if_canceled ();
                    Fiber.yield ()
                  done))
        done;
        Dromos.sleep 0.002;
        raise Stop)
  in
  string "the failure" "Stop" (outcome f);
  int "all have ended" 10 (Atomic.get ended)

(* {1 Structured} *)

let bundle ~workers =
  run ~workers (fun () ->
      let sum = Atomic.make 0 in
      Bundle.join_after (fun bundle ->
          for i = 1 to 1000 do
            Bundle.fork bundle (fun () ->
                if i land 7 = 0 then Control.yield ();
                ignore (Atomic.fetch_and_add sum i : int))
          done);
      int "sum" 500_500 (Atomic.get sum);
      let said =
        outcome (fun () ->
            Bundle.join_after (fun bundle ->
                for _ = 1 to 100 do
                  Bundle.fork bundle Control.block
                done;
                Bundle.fork bundle (fun () -> raise Stop)))
      in
      string "a failure ends the rest" "Stop" said;
      Bundle.join_after (fun bundle ->
          for _ = 1 to 100 do
            Bundle.fork bundle Control.block
          done;
          Bundle.terminate bundle))

let promises ~workers =
  run ~workers (fun () ->
      Flock.join_after (fun () ->
          let rec fib n =
            if n < 2 then n
            else
              let a = Flock.fork_as_promise (fun () -> fib (n - 1)) in
              let b = fib (n - 2) in
              Promise.await a + b
          in
          int "fib" 610 (fib 15);
          let p = Flock.fork_as_promise (fun () -> Control.block ()) in
          Promise.terminate p;
          string "terminated" "Terminate" (outcome (fun () -> Promise.await p))))

let runs ~workers =
  run ~workers (fun () ->
      let n = Atomic.make 0 in
      Run.all (List.init 100 (fun _ () -> Atomic.incr n));
      int "all" 100 (Atomic.get n);
      Run.any (Control.block :: List.init 3 (fun _ -> ignore));
      string "fails" "Stop"
        (outcome (fun () -> Run.all [ Control.block; (fun () -> raise Stop) ])))

let terminate_after ~workers =
  run ~workers (fun () ->
      string "in time" "Terminate"
        (outcome (fun () ->
             Control.terminate_after ~seconds:0.005 (fun () -> Dromos.sleep 60.)));
      int "not needed" 3 (Control.terminate_after ~seconds:60. (fun () -> 3)))

(* {1 Sync} *)

let mutex ~workers =
  run ~workers (fun () ->
      let m = Mutex.create () and n = ref 0 in
      Run.all
        (List.init 10 (fun _ () ->
             for _ = 1 to 500 do
               Mutex.protect m (fun () ->
                   let before = !n in
                   if before land 15 = 0 then Fiber.yield ();
                   n := before + 1)
             done));
      int "counted" 5000 !n;
      Mutex.lock m;
      Dromos.Scope.run (fun _ -> Mutex.unlock m);
      Mutex.lock m;
      (match Dromos.await (Dromos.async (fun () -> Mutex.unlock m)) with
      | () -> Alcotest.fail "another fiber's"
      | exception Sys_error _ -> ());
      Mutex.unlock m)

let condition ~workers =
  run ~workers (fun () ->
      let m = Mutex.create () and c = Condition.create () in
      let items = Queue.create () and got = Atomic.make 0 in
      Run.all
        ((fun () ->
           for i = 1 to 2000 do
             Mutex.protect m (fun () -> Queue.push i items);
             Condition.signal c
           done)
        :: List.init 4 (fun _ () ->
               for _ = 1 to 500 do
                 Mutex.protect m (fun () ->
                     while Queue.is_empty items do
                       Condition.wait c m
                     done;
                     ignore (Queue.pop items : int));
                 Atomic.incr got
               done));
      int "all" 2000 (Atomic.get got);
      (* Cancelled by the scope: the wait returns with the mutex held. *)
      let said =
        outcome (fun () ->
            Dromos.timeout moment (fun () ->
                Mutex.protect m (fun () -> Condition.wait c m)))
      in
      string "cancelled" (Printexc.to_string Dromos.Timeout) said;
      bool "unlocked" true (Mutex.try_lock m);
      Mutex.unlock m)

let others ~workers =
  run ~workers (fun () ->
      let s = Semaphore.Counting.make 3 in
      let inside = Atomic.make 0 and most = Atomic.make 0 in
      Run.all
        (List.init 20 (fun _ () ->
             for _ = 1 to 50 do
               Semaphore.Counting.acquire s;
               let n = 1 + Atomic.fetch_and_add inside 1 in
               if n > Atomic.get most then Atomic.set most n;
               Fiber.yield ();
               Atomic.decr inside;
               Semaphore.Counting.release s
             done));
      bool "at most three" true (Atomic.get most <= 3);
      let b = Semaphore.Binary.make false in
      Run.all
        [
          (fun () -> Semaphore.Binary.acquire b);
          (fun () -> Semaphore.Binary.release b);
        ];
      let i = Ivar.create () in
      Run.all
        ((fun () -> Ivar.fill i 42)
        :: List.init 10 (fun _ () -> int "ivar" 42 (Ivar.read i)));
      let l = Latch.create 1 in
      Run.all
        [
          (fun () -> Latch.await l);
          (fun () ->
            for _ = 1 to 10 do
              Latch.incr l
            done;
            for _ = 0 to 10 do
              Latch.decr l
            done);
        ];
      let lazily =
        Lazy.from_fun (fun () ->
            Fiber.yield ();
            5)
      in
      Run.all (List.init 10 (fun _ () -> int "lazy" 5 (Lazy.force lazily)));
      let stream = Stream.create () in
      let cursor = Stream.tap stream in
      Run.all
        ((fun () ->
           for i = 1 to 1000 do
             Stream.push stream i
           done)
        :: List.init 3 (fun _ () ->
               let rec read cursor sum =
                 match Stream.read cursor with
                 | 1000, _ -> sum + 1000
                 | i, cursor -> read cursor (sum + i)
               in
               int "stream" 500_500 (read cursor 0)));
      let a = Ivar.create () and b = Ivar.create () in
      Run.all
        [
          (fun () ->
            int "event" 2 (Event.select [ Ivar.read_evt a; Ivar.read_evt b ]));
          (fun () -> Ivar.fill b 2);
        ])

(* {1 Both kinds of code} *)

let mixed ~workers =
  run ~workers (fun () ->
      let channel = Dromos.Channel.create () in
      let sum = Ivar.create () in
      Flock.join_after (fun () ->
          Flock.fork (fun () ->
              for i = 1 to 100 do
                Dromos.Channel.send channel i
              done);
          Flock.fork (fun () ->
              let n = ref 0 in
              for _ = 1 to 100 do
                n := !n + Dromos.Channel.recv channel
              done;
              Ivar.fill sum !n);
          Flock.fork (fun () ->
              let a, b =
                Dromos.both (fun () -> Ivar.read sum) (fun () -> Ivar.read sum)
              in
              int "both" (2 * 5050) (a + b)));
      Dromos.Par.for_ ~grain:1 0 100 (fun _ ->
          Control.yield ();
          Control.raise_if_canceled ()))

let generator ~workers =
  let open Effect.Deep in
  let module M = struct
    type _ Effect.t += Give : int -> unit Effect.t
  end in
  run ~workers (fun () ->
      let sum = ref 0 in
      match_with
        (fun () ->
          for i = 1 to 10 do
            Control.sleep ~seconds:0.0001;
            Effect.perform (M.Give i);
            Run.all [ Control.yield; ignore ]
          done)
        ()
        {
          retc = Fun.id;
          exnc = raise;
          effc =
            (fun (type a) (eff : a Effect.t) ->
              match eff with
              | M.Give i ->
                  Some
                    (fun (k : (a, _) continuation) ->
                      sum := !sum + i;
                      continue k ())
              | _ -> None);
        };
      int "under a handler of the program's" 55 !sum)

let preempted ~workers =
  Dromos.run ~workers ~preempt:true (fun () ->
      let over = Atomic.make false in
      Flock.join_after (fun () ->
          Flock.fork (fun () ->
              while not (Atomic.get over) do
                ignore (Fiber.current () : Fiber.t)
              done);
          Flock.fork (fun () ->
              Control.sleep ~seconds:0.03;
              Atomic.set over true)))

let on_every_hub () =
  List.iter
    (fun hub ->
      Dromos.run ~workers:2 ~hub (fun () ->
          let n = Atomic.make 0 in
          Flock.join_after (fun () ->
              for _ = 1 to 1000 do
                Flock.fork (fun () ->
                    Control.yield ();
                    Atomic.incr n)
              done);
          int "all" 1000 (Atomic.get n)))
    Dromos.Hub.all

let callback () =
  let said =
    outcome (fun () ->
        Dromos_suspend.Callback.call
          ~what:(fun () -> "It")
          (fun () -> Trigger.await (Trigger.create ()))
          ())
  in
  bool said true (String.length said > 0 && said <> "value")

let own_run ~workers =
  int "run" 3
    (Dromos_picos_scheduler.run ~workers (fun () ->
         let p = Computation.create () in
         spawn p (fun _ -> Computation.return p 3);
         Computation.await p));
  string "raises" "Stop"
    (outcome (fun () ->
         Dromos_picos_scheduler.run ~workers (fun () -> raise Stop)));
  string "cancelled" "Stop"
    (outcome (fun () ->
         Dromos_picos_scheduler.run ~workers (fun () ->
             let (Packed c) = Fiber.get_computation (Fiber.current ()) in
             Computation.cancel c Stop no_bt;
             Dromos.sleep 60.)))

(* The contract of Dromos, for fibers spawned by Picos. *)
let conformance ~workers : Conformance.scheduler =
  {
    name = Printf.sprintf "spawned by Picos, %d workers" workers;
    run = (fun f -> Dromos_picos_scheduler.run ~workers f);
    fork =
      (fun f ->
        let c = Computation.create () in
        spawn c (fun _ -> Computation.capture c f ());
        fun () -> Computation.cancel c Stop no_bt);
    cancels = true;
  }

let () =
  Printexc.record_backtrace true;
  Watch.suite "picos_scheduler" @@ fun () ->
  let case ?limit name f = Watch.case ?limit name (every f) in
  Alcotest.run "picos_scheduler"
    [
      ( "effects",
        [
          case "current" current;
          Watch.case "outside of a run" nowhere;
          case "await" await;
          case "a signal racing the wait" racing;
          case "two cancellations and a signal" three_at_once;
          case "yield" yields;
          case "spawn" spawned;
          case "100,000" many;
          case "spawned in a scope" outlives;
          case "spawned cancelled" spawned_cancelled;
          case "uncaught" uncaught;
          case "backtrace" backtrace;
          case "cancel_after" cancel_after;
        ] );
      ( "cancellation",
        [
          case "by the scope" by_scope;
          case "by the computation" by_computation;
          case "both at once" both_at_once;
          case "nothing is left" nothing_left;
          case "forbid" forbid;
          case "protect" protect;
          case "a scope in a flock" inner_scope;
          case "the run's" run_ends;
        ] );
      ( "structured",
        [
          case "Bundle" bundle;
          case "Promise" promises;
          case "Run" runs;
          case "terminate_after" terminate_after;
        ] );
      ( "sync",
        [ case "Mutex" mutex; case "Condition" condition; case "others" others ]
      );
      ( "together",
        [
          case "channels, flocks, forks" mixed;
          case "under a handler" generator;
          case "preempted" preempted;
          Watch.case "every hub" on_every_hub;
          Watch.case "in a callback" callback;
          case "a run of its own" own_run;
        ] );
      ("contract, 1 worker", Conformance.cases (conformance ~workers:1));
      ("contract, 2 workers", Conformance.cases (conformance ~workers:2));
    ]
