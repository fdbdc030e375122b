(* Dromos's structures in the fibers of the real Eio. *)

open Bridged
module Promise = Dromos_sync.Promise
module Fiber = Eio.Fiber
module Switch = Eio.Switch
module Scope = Dromos.Scope

let main f = Eio_posix.run (fun _ -> Dromos_eio.wrap f)

let together fs =
  Switch.run (fun sw -> List.iter (fun f -> Dromos_eio.fork ~sw f) fs)

let host = { name = "Eio"; main; together }

let ways : Both_ways.ways =
  {
    name = "Eio";
    main;
    together;
    offload = (fun ?pool f -> Dromos_eio.offload ?pool f);
    inside = Dromos_eio.in_eio;
    with_loop =
      Some (fun f -> Dromos_eio.with_loop Eio_posix.run (fun _ -> f ()));
    has_domains = false;
  }

(* Each task has a cancellation context of its own, in the switch of its run. *)
let switch = ref None

let scheduler : Conformance.scheduler =
  {
    name = "Eio";
    run =
      (fun f ->
        Eio_posix.run (fun _ ->
            Switch.run (fun sw ->
                switch := Some sw;
                Dromos_eio.wrap f)));
    fork =
      (fun f ->
        let context = ref None in
        let task () =
          Eio.Cancel.sub (fun cc ->
              context := Some cc;
              f ())
        in
        Dromos_eio.fork ~sw:(Option.get !switch) (fun () ->
            try task () with Eio.Cancel.Cancelled _ -> ());
        fun () ->
          (* Eio refuses to cancel a context after its end. *)
          try Option.iter (fun cc -> Eio.Cancel.cancel cc Exit) !context
          with Invalid_argument _ -> ());
    cancels = true;
  }

let bool = Watch.check Alcotest.bool
let int = Watch.check Alcotest.int

exception Stop

let no_backtrace = Printexc.get_callstack 0

(* Cancelled during a wait: the fiber leaves at once, and the resumer returns
   [false]. *)
let cancelled_waiting () =
  main (fun () ->
      let cell = Atomic.make None in
      let left = ref false in
      (match
         Switch.run (fun sw ->
             Dromos_eio.fork ~sw (fun () ->
                 match waiting cell with
                 | () -> ()
                 | exception (Eio.Cancel.Cancelled _ as e) ->
                     left := true;
                     raise e);
             Fiber.yield ();
             Switch.fail sw Stop)
       with
      | () -> Alcotest.fail "not cancelled"
      | exception Stop -> ());
      bool "left with Cancelled" true !left;
      bool "the resumer says so" false ((resumer cell) (Ok ())))

(* Cancelled in a condition's wait, while another fiber holds the mutex: the
   wait returns with the mutex held, as [Mutex.protect] expects. *)
let cancelled_condition () =
  main (fun () ->
      let open Dromos_sync in
      let mutex = Mutex.create () and changed = Condition.create () in
      let back = ref false in
      (match
         Switch.run (fun sw ->
             Dromos_eio.fork ~sw (fun () ->
                 Mutex.protect mutex (fun () ->
                     match Condition.wait changed mutex with
                     | () -> ()
                     | exception (Eio.Cancel.Cancelled _ as e) ->
                         back := Mutex.is_locked mutex;
                         raise e));
             Dromos_eio.fork ~sw (fun () ->
                 Mutex.protect mutex (fun () ->
                     Switch.fail sw Stop;
                     Eio.Cancel.protect (fun () ->
                         for _ = 1 to 10 do
                           Fiber.yield ()
                         done;
                         bool "not yet" false !back))))
       with
      | () -> Alcotest.fail "not cancelled"
      | exception Stop -> ());
      bool "with the mutex" true !back;
      bool "and without at the end" false (Mutex.is_locked mutex))

(* Cancelled before the wait: [block] is never applied. *)
let cancelled_before () =
  main (fun () ->
      let applied = ref false in
      let outcome =
        Fiber.first
          (fun () -> `Stopped)
          (fun () ->
            Dromos_eio.wrap @@ fun () ->
            match
              Fiber.check ();
              Dromos_suspend.suspend (fun _ ->
                  applied := true;
                  Some ())
            with
            | () -> `Waited
            | exception Eio.Cancel.Cancelled _ -> `Stopped)
      in
      bool "stopped" true (outcome = `Stopped);
      Eio.Cancel.sub (fun cc ->
          Eio.Cancel.cancel cc Stop;
          match
            Dromos_eio.wrap (fun () ->
                Dromos_suspend.suspend (fun _ ->
                    applied := true;
                    Some ()))
          with
          | () -> Alcotest.fail "not cancelled"
          | exception Eio.Cancel.Cancelled Stop -> ());
      bool "block was not applied" false !applied)

(* Resumed, and cancelled before the fiber could run: the fiber keeps its
   value. *)
let cancelled_after () =
  main (fun () ->
      let cell = Atomic.make None in
      let got = ref 0 in
      (match
         Switch.run (fun sw ->
             Dromos_eio.fork ~sw (fun () -> got := waiting cell);
             Fiber.yield ();
             bool "resumed" true ((resumer cell) (Ok 3));
             Switch.fail sw Stop)
       with
      | () -> Alcotest.fail "not cancelled"
      | exception Stop -> ());
      int "kept" 3 !got)

let protected () =
  main (fun () ->
      let cell = Atomic.make None in
      let got = ref 0 in
      (match
         Switch.run (fun sw ->
             Dromos_eio.fork ~sw (fun () ->
                 Eio.Cancel.protect (fun () -> got := waiting cell));
             Fiber.yield ();
             Dromos_eio.fork ~sw (fun () ->
                 Eio.Cancel.protect (fun () ->
                     Fiber.yield ();
                     ignore ((resumer cell) (Ok 4))));
             Switch.fail sw Stop)
       with
      | () -> Alcotest.fail "not cancelled"
      | exception Stop -> ());
      int "waited on" 4 !got)

(* A resumption from another domain races a cancellation: exactly one of the two
   decides. *)
let races () =
  let both = ref 0 and rounds = 300 in
  for _ = 1 to rounds do
    let cell = Atomic.make None in
    let other = Domain.spawn (fun () -> (resumer cell) (Ok ())) in
    let waited = ref false in
    (match
       Eio_posix.run (fun _ ->
           Switch.run (fun sw ->
               Dromos_eio.fork ~sw (fun () ->
                   waiting cell;
                   waited := true);
               Fiber.yield ();
               Switch.fail sw Stop))
     with
    | () -> ()
    | exception Stop -> ());
    let won = Domain.join other in
    bool "the fiber had it exactly if the resumer won" won !waited;
    if won then incr both
  done;
  Printf.printf "the resumer won %d of %d\n" !both rounds

(* Errors keep the backtrace, although Eio's own results have none. *)
let cancelled_promise_waiters () =
  main (fun () ->
      let p = Promise.create () in
      (match
         Switch.run (fun sw ->
             for _ = 1 to 1000 do
               Dromos_eio.fork ~sw (fun () -> Promise.await p)
             done;
             Fiber.yield ();
             Switch.fail sw Stop)
       with
      | () -> Alcotest.fail "not cancelled"
      | exception Stop -> ());
      Promise.fail p (Boom 1) no_backtrace)

let misplaced () =
  main (misplaced "dromos-eio");
  main (fun () ->
      Fiber.yield ();
      misplaced "dromos-eio" ());
  Eio_posix.run (fun _ ->
      Fiber.both (misplaced "dromos-eio") (fun () ->
          Eio_unix.sleep 0.001;
          misplaced "dromos-eio" ()))

(* Without the bridge: through domain-local-await, which Eio provides. *)
let without_bridge () =
  Eio_posix.run (fun _ ->
      let p = Promise.create () and q = Promise.create () in
      let got = ref 0 in
      Fiber.both
        (fun () -> got := Promise.await p)
        (fun () ->
          let d =
            Domain.spawn (fun () -> Promise.resolve p (Promise.await q))
          in
          Promise.resolve q 5;
          while !got = 0 do
            Fiber.yield ()
          done;
          Domain.join d);
      int "only the fiber waited" 5 !got;
      match
        Switch.run (fun sw ->
            Fiber.fork ~sw (fun () -> Promise.await (Promise.create ()));
            Fiber.yield ();
            Switch.fail sw Stop)
      with
      | () -> Alcotest.fail "not cancelled"
      | exception Stop -> ())

(* {1 Both ways} *)

exception Given_up

(* Cancelled while the offloaded function computes: the function's scope is
   cancelled, and [offload] is not over before the function. *)
let cancelled_offload () =
  let over = Atomic.make false and begun = Promise.create () in
  let compute () =
    Promise.resolve begun ();
    match
      while true do
        Dromos.yield ();
        Dromos.check ()
      done
    with
    | () -> ()
    | exception (Dromos.Cancelled as e) ->
        for _ = 1 to 100 do
          Dromos.protect Dromos.yield
        done;
        Atomic.set over true;
        raise e
  in
  Eio_posix.run (fun _ ->
      match
        Fiber.both
          (fun () ->
            match Dromos_eio.offload compute with
            | () -> Alcotest.fail "computed for ever"
            | exception (Eio.Cancel.Cancelled _ as e) ->
                bool "after the function" true (Atomic.get over);
                raise e)
          (fun () ->
            Dromos_eio.wrap (fun () -> Promise.await begun);
            raise Given_up)
      with
      | () -> Alcotest.fail "not cancelled"
      | exception Given_up -> ())

(* Cancelled while the function waits for Eio: the Eio fiber is cancelled, and
   then the function. The function may still clean up through Dromos. *)
let cancelled_both () =
  let eio = Atomic.make false and dromos = Atomic.make false in
  Eio_posix.run (fun env ->
      let never () =
        match Eio.Time.sleep (Eio.Stdenv.clock env) 1000. with
        | () -> ()
        | exception (Eio.Cancel.Cancelled _ as e) ->
            Atomic.set eio true;
            raise e
      in
      let function_ begun () =
        match
          Dromos_eio.in_eio (fun () ->
              Promise.resolve begun ();
              never ())
        with
        | () -> ()
        | exception e ->
            Atomic.set dromos true;
            raise e
      in
      let begun = Promise.create () in
      (match
         Fiber.first
           (fun () -> Dromos_eio.offload (function_ begun))
           (fun () -> Dromos_eio.wrap (fun () -> Promise.await begun))
       with
      | () -> ());
      bool "Eio's fiber" true (Atomic.get eio);
      bool "the function" true (Atomic.get dromos))

(* The other direction: the caller of [in_eio] is cancelled. *)
let cancelled_in_eio () =
  let left = Atomic.make false in
  Eio_posix.run (fun env ->
      let never begun () =
        Promise.resolve begun ();
        match Eio.Time.sleep (Eio.Stdenv.clock env) 1000. with
        | () -> ()
        | exception (Eio.Cancel.Cancelled _ as e) ->
            Eio.Cancel.protect Fiber.yield;
            Atomic.set left true;
            raise e
      in
      Dromos_eio.offload (fun () ->
          let begun = Promise.create () in
          (match
             Scope.run (fun scope ->
                 Scope.fork scope (fun () ->
                     Dromos_eio.in_eio (never begun);
                     Alcotest.fail "slept");
                 Promise.await begun;
                 Scope.cancel scope)
           with
          | () | (exception Dromos.Cancelled) -> ());
          bool "Eio's fiber has left" true (Atomic.get left)))

(* In [Cancel.protect], nothing is cancelled. *)
let protected_offload () =
  let got = ref 0 in
  (match
     Eio_posix.run (fun _ ->
         Switch.run (fun sw ->
             Fiber.fork ~sw (fun () ->
                 Eio.Cancel.protect (fun () ->
                     got :=
                       Dromos_eio.offload (fun () ->
                           Dromos.sleep 0.01;
                           Dromos_eio.in_eio (fun () -> 5))));
             Fiber.yield ();
             Switch.fail sw Stop))
   with
  | () -> Alcotest.fail "not cancelled"
  | exception Stop -> ());
  int "computed" 5 !got

let cancelled_at_once () =
  Eio_posix.run (fun _ ->
      Eio.Cancel.sub (fun cc ->
          Eio.Cancel.cancel cc Stop;
          match Dromos_eio.offload ignore with
          | () -> Alcotest.fail "not cancelled"
          | exception Eio.Cancel.Cancelled Stop -> ()))

(* Cancellations race the end, and requests: no fiber hangs, and all started
   work is over. *)
let racing_offloads () =
  let running = Atomic.make 0 in
  Eio_posix.run (fun env ->
      let clock = Eio.Stdenv.clock env in
      for i = 1 to 300 do
        (match
           Eio.Time.with_timeout clock
             (float_of_int (i mod 30) *. 2e-5)
             (fun () ->
               let one () =
                 Atomic.incr running;
                 Fun.protect
                   ~finally:(fun () -> Atomic.decr running)
                   (fun () ->
                     Dromos_eio.in_eio (fun () ->
                         Eio.Time.sleep clock (float_of_int (i mod 7) *. 3e-5)))
               in
               Ok
                 (Dromos_eio.offload (fun () ->
                      ignore (Dromos.both one one : unit * unit))))
         with
        | Ok () | Error `Timeout -> ());
        int "all over" 0 (Atomic.get running)
      done)

(* After the early end of a loop of [with_loop], no fiber may use the loop. *)
let loop_over () =
  let misplaced what f =
    match f () with
    | () -> Alcotest.fail (what ^ ": not refused")
    | exception Dromos.Misplaced _ -> ()
  in
  let until over run =
    let ended = Promise.create () in
    Dromos_eio.with_loop
      (fun main ->
        Fun.protect
          (fun () -> Eio_posix.run (fun env -> run env main))
          ~finally:(fun () -> Promise.resolve ended ()))
      (fun env ->
        let clock = Eio.Stdenv.clock env in
        (match Dromos_eio.in_eio (fun () -> Eio.Time.sleep clock 1000.) with
        | () -> Alcotest.fail "slept"
        | exception Eio.Cancel.Cancelled _ -> ());
        Promise.await ended;
        misplaced "after the end" (fun () -> Dromos_eio.in_eio ignore);
        over ())
  in
  let cancelled env main =
    Fiber.first
      (fun () -> main env)
      (fun () -> Eio.Time.sleep (Eio.Stdenv.clock env) 0.01)
  in
  until ignore cancelled;
  Alcotest.check_raises "the function's failure" Stop (fun () ->
      until (fun () -> raise Stop) cancelled);
  Alcotest.check_raises "the loop's failure" Given_up (fun () ->
      until
        (fun () -> raise Stop)
        (fun env main ->
          Fiber.both
            (fun () -> main env)
            (fun () ->
              Eio.Time.sleep (Eio.Stdenv.clock env) 0.01;
              raise Given_up)));
  (* The loop serves no request any more, although Eio continues. *)
  let over = Promise.create () in
  Dromos_eio.with_loop
    (fun main ->
      Eio_posix.run (fun env ->
          cancelled env main;
          Dromos_eio.wrap (fun () -> Promise.await over)))
    (fun _ ->
      let rec until_refused () =
        match Dromos_eio.in_eio Fiber.yield with
        | () | (exception Eio.Cancel.Cancelled _) -> until_refused ()
        | exception Dromos.Misplaced _ -> ()
      in
      until_refused ();
      Promise.resolve over ());
  match Dromos_eio.with_loop ignore ignore with
  | () -> Alcotest.fail "without a loop"
  | exception Invalid_argument _ -> ()

(* {1 Several parties on one domain} *)

(* A systhread beside Eio waits by itself, for any answer of its domain. *)
let thread_beside () =
  Eio_posix.run (fun env ->
      let p = Promise.create () and got = Promise.create () in
      let thread =
        Thread.create (fun () -> Promise.resolve got (Promise.await p)) ()
      in
      Eio.Time.sleep (Eio.Stdenv.clock env) 0.01;
      Promise.resolve p 42;
      int "the thread" 42 (Dromos_eio.wrap (fun () -> Promise.await got));
      Thread.join thread;
      let q = Promise.create () in
      Fiber.both
        (fun () ->
          int "in run_in_systhread" 5
            (Eio_unix.run_in_systhread (fun () -> Promise.await q)))
        (fun () ->
          Eio.Time.sleep (Eio.Stdenv.clock env) 0.01;
          Promise.resolve q 5))

(* A run on another thread of the domain does not change the answer for Eio's
   fibers. *)
let run_beside () =
  Eio_posix.run (fun env ->
      let p = Promise.create () and over = Promise.create () in
      let got = ref 0 in
      Fiber.all
        [
          (fun () ->
            Eio_unix.run_in_systhread (fun () ->
                Dromos.run ~workers:1 (fun () -> Promise.await over)));
          (fun () ->
            Eio.Time.sleep (Eio.Stdenv.clock env) 0.01;
            got := Promise.await p);
          (fun () ->
            Eio.Time.sleep (Eio.Stdenv.clock env) 0.02;
            Promise.resolve p 5;
            Promise.resolve over ());
        ];
      int "without the wrapper" 5 !got);
  (* Afterwards, threads of the domain wait by themselves. *)
  let p = Promise.create () in
  let thread = Thread.create (fun () -> Promise.await p) () in
  Promise.resolve p ();
  Thread.join thread

let apart () =
  let compute () =
    Dromos.run ~workers:2 (fun () ->
        fst (Dromos.both (fun () -> 1) (fun () -> 2)))
  in
  Eio_posix.run (fun env ->
      let mgr = Eio.Stdenv.domain_mgr env in
      int "Domain_manager.run" 1 (Eio.Domain_manager.run mgr compute);
      int "Domain_manager.run_raw" 1 (Eio.Domain_manager.run_raw mgr compute);
      Switch.run (fun sw ->
          let pool = Eio.Executor_pool.create ~sw ~domain_count:1 mgr in
          int "Executor_pool" 1
            (Eio.Executor_pool.submit_exn pool ~weight:1.0 compute)))

let foreign_wait () =
  let slept = Promise.create () in
  Dromos.run ~workers:1 (fun () ->
      match Eio.Promise.await (fst (Eio.Promise.create ())) with
      | () -> Alcotest.fail "waited"
      | exception Dromos.Misplaced text ->
          bool text true (Said.contains text "Dromos_eio.in_eio")
      | exception Effect.Unhandled _ ->
          (* [Eio] asks for the fiber's context before the wait; the error
             output shows the reason. *)
          Promise.resolve slept ());
  let says what f =
    match Dromos.run ~workers:1 f with
    | () -> Alcotest.fail (what ^ " returned")
    | exception e ->
        bool what true
          (Said.contains (Printexc.to_string e) "Dromos_eio.in_eio")
  in
  says "yield" Fiber.yield;
  Eio_posix.run (fun env ->
      let clock = Eio.Stdenv.mono_clock env in
      let sleep () = Eio.Time.Mono.sleep clock 0.001 in
      let offloaded () =
        match Dromos_eio.offload sleep with
        | () -> Alcotest.fail "slept"
        | exception Dromos.Misplaced text ->
            bool text true (Said.contains text "Dromos_eio.in_eio")
      in
      offloaded ());
  match Dromos_eio.offload ignore with
  | () -> Alcotest.fail "offloaded without a loop"
  | exception Dromos.Misplaced text ->
      bool text true (Said.contains text "no Eio fiber")

(* Without [wrap], all fibers of a loop are a single owner to a mutex. *)
let one_owner () =
  Eio_posix.run (fun _ ->
      let mutex = Dromos_sync.Mutex.create () in
      let body () = Dromos_sync.Mutex.protect mutex Fiber.yield in
      match Fiber.both body body with
      | () -> Alcotest.fail "not told"
      | exception Invalid_argument text ->
          bool text true (Said.contains text "Dromos_eio.wrap"))

let () =
  Watch.suite "bridge_eio" @@ fun () ->
  Alcotest.run "bridge_eio"
    [
      ("the contract", Conformance.cases scheduler);
      ("every host", cases host);
      ( "cancellation",
        [
          Watch.case "while waiting" cancelled_waiting;
          Watch.case "before" cancelled_before;
          Watch.case "in a condition's wait" cancelled_condition;
          Watch.case "after the resumption" cancelled_after;
          Watch.case "protected" protected;
          Watch.case "racing a resumption" races;
          Watch.case "a thousand waiters" cancelled_promise_waiters;
        ] );
      ("both ways", Both_ways.cases ways);
      ( "both ways, cancelled",
        [
          Watch.case "offload" cancelled_offload;
          Watch.case "offload that waits for Eio" cancelled_both;
          Watch.case "in_eio" cancelled_in_eio;
          Watch.case "before" cancelled_at_once;
          Watch.case "protected" protected_offload;
          Watch.case "racing the end" racing_offloads;
          Watch.case "a loop that is over early" loop_over;
        ] );
      ( "several parties on one domain",
        [
          Watch.case "a thread" thread_beside;
          Watch.case "a run on a thread" run_beside;
          Watch.case "a domain made for a run" apart;
          Watch.case "Eio in a fiber" foreign_wait;
          Watch.case "one owner without wrap" one_owner;
        ] );
      ("without the bridge", [ Watch.case "await" without_bridge ]);
      ("run", [ Watch.case "Dromos.run inside" misplaced ]);
    ]
