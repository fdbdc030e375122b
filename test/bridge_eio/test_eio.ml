(* Dromos's structures in the fibers of the real Eio. *)

open Bridged
module Promise = Dromos_sync.Promise
module Fiber = Eio.Fiber
module Switch = Eio.Switch

let main f = Eio_posix.run (fun _ -> Dromos_eio.wrap f)

let together fs =
  Switch.run (fun sw -> List.iter (fun f -> Dromos_eio.fork ~sw f) fs)

let host = { name = "Eio"; main; together }

(* Each task in a cancellation context of its own, in the switch of its run. *)
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
          (* Eio refuses to cancel what is over. *)
          try Option.iter (fun cc -> Eio.Cancel.cancel cc Exit) !context
          with Invalid_argument _ -> ());
    cancels = true;
  }

let bool = Watch.check Alcotest.bool
let int = Watch.check Alcotest.int

exception Stop

let no_backtrace = Printexc.get_callstack 0

(* Cancelled while it waits: it leaves at once, and the resumer is told. *)
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

(* Cancelled in a condition's wait, while somebody else holds its mutex: it comes
   back with the mutex, as [Mutex.protect] believes. *)
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

(* Cancelled before it waits: [block] is never applied. *)
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

(* Resumed, and cancelled before it could run: what it was given stands. *)
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

(* A resumption from another domain races a cancellation: exactly one decides. *)
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

(* Errors keep their backtrace though Eio's own results have none. *)
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
      ("without the bridge", [ Watch.case "await" without_bridge ]);
      ("run", [ Watch.case "Dromos.run inside" misplaced ]);
    ]
