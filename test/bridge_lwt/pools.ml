(* Offloading to a runtime of one's own: blocking functions, bounded queues. *)

open Lwt.Syntax
module Promise = Dromos_sync.Promise
module Runtime = Dromos.Runtime

let int = Watch.check Alcotest.int
let bool = Watch.check Alcotest.bool
let run = Dromos_lwt.run

let with_pool ?queue f =
  run (fun () ->
      let pool = Runtime.create ~workers:1 ?queue () in
      let* () = f pool in
      Dromos_lwt.Pool.stop pool)

(* All eight calls block at once, on one worker; otherwise they would block for
   ever. *)
let blocking () =
  with_pool (fun pool ->
      let all = Dromos.Latch.create 8 in
      let meet () =
        bool "outside of runs" false (Dromos.inside ());
        Dromos.Latch.count_down all;
        Dromos.Latch.wait all
      in
      let meeting _ = Dromos_lwt.offload ~pool ~blocking:true meet in
      let* () = Lwt.join (List.init 8 meeting) in
      Lwt.try_bind
        (fun () ->
          Dromos_lwt.offload ~pool ~blocking:true (fun () -> failwith "mine"))
        (fun () -> Alcotest.fail "returned")
        (function Failure _ -> Lwt.return_unit | e -> Lwt.reraise e))

let rec until what f =
  if f () then Lwt.return_unit
  else
    let* () = Lwt_unix.sleep 0.0005 in
    until what f

(* A blocked worker, and tasks that wait for room while Lwt continues. *)
let bounded () =
  with_pool ~queue:2 (fun pool ->
      let gate = Atomic.make false in
      let held =
        Dromos_lwt.offload ~pool (fun () ->
            while not (Atomic.get gate) do
              Domain.cpu_relax ()
            done)
      in
      let* () = until "held" (fun () -> (Runtime.stats pool).running = 1) in
      let ran = Atomic.make 0 in
      let offload i =
        Dromos_lwt.offload ~pool (fun () ->
            Atomic.incr ran;
            i)
      in
      let promises = List.init 10 offload in
      let* () = Lwt_unix.sleep 0.005 in
      int "accepted" 3 (Runtime.stats pool).accepted;
      let queued = List.nth promises 0 and waiting = List.nth promises 5 in
      Lwt.cancel queued;
      Lwt.cancel waiting;
      bool "canceled" true
        (Lwt.state queued = Lwt.Fail Lwt.Canceled
        && Lwt.state waiting = Lwt.Fail Lwt.Canceled);
      Atomic.set gate true;
      let* () = held in
      let others = List.filteri (fun i _ -> i <> 0 && i <> 5) promises in
      let* values = Lwt.all others in
      int "values" 40 (List.fold_left ( + ) 0 values);
      int "ran" 8 (Atomic.get ran);
      Lwt.return_unit)

(* The pool stops while a task waits for room in its queue. *)
let stopped () =
  run (fun () ->
      let pool = Runtime.create ~workers:1 ~queue:1 () in
      let go = Promise.create () in
      let gate = Atomic.make false in
      let held =
        Dromos_lwt.offload ~pool (fun () ->
            Promise.resolve go ();
            while not (Atomic.get gate) do
              Domain.cpu_relax ()
            done)
      in
      let* () = Dromos_lwt.of_promise go in
      let queued = Dromos_lwt.offload ~pool (fun () -> 1) in
      let waiting = Dromos_lwt.offload ~pool (fun () -> 2) in
      let stopped = Dromos_lwt.Pool.stop pool in
      let* () =
        Lwt.try_bind
          (fun () -> waiting)
          (fun _ -> Alcotest.fail "accepted")
          (function Runtime.Stopped _ -> Lwt.return_unit | e -> Lwt.reraise e)
      in
      bool "waits" true (Lwt.is_sleeping stopped);
      Atomic.set gate true;
      let* () = stopped and* () = held and* n = queued in
      int "drained" 1 n;
      Lwt.return_unit)

(* Lwt and plain threads use one runtime, and wait for each other's tasks. *)
let shared () =
  with_pool (fun pool ->
      let of_thread = Promise.create () in
      let submit () =
        Promise.resolve of_thread (Runtime.submit pool (fun () -> 20))
      in
      let thread = Thread.create submit () in
      let* p = Dromos_lwt.of_promise of_thread in
      let* a = Dromos_lwt.of_promise p in
      let* b = Dromos_lwt.offload ~pool (fun () -> Promise.await p + 2) in
      Thread.join thread;
      int "both" 42 (a + b);
      Lwt.return_unit)

(* A stopped pool is replaced. *)
let default () =
  run (fun () ->
      let first = Dromos_lwt.Pool.default () in
      let* () = Dromos_lwt.Pool.stop first in
      let* n = Dromos_lwt.offload (fun () -> 1) in
      int "another" 1 n;
      bool "kept" true (Dromos_lwt.Pool.default () == Dromos_lwt.Pool.default ());
      Lwt.return_unit)

let case = Watch.case

let cases =
  [
    case "blocking" blocking;
    case "bounded" bounded;
    case "stopped" stopped;
    case "shared" shared;
    case "default" default;
  ]
