(* Cancellation of either side, in every state. *)

open Lwt.Syntax
module Promise = Dromos_sync.Promise
module Channel = Dromos_sync.Channel
module Scope = Dromos.Scope

let int = Watch.check Alcotest.int
let bool = Watch.check Alcotest.bool
let run = Dromos_lwt.run
let is_canceled what p = bool what true (Lwt.state p = Lwt.Fail Lwt.Canceled)

let rec until ?(tries = 20_000) what f =
  if f () then Lwt.return_unit
  else if tries = 0 then Alcotest.fail ("never: " ^ what)
  else
    let* () = Lwt_unix.sleep 0.0005 in
    until ~tries:(tries - 1) what f

(* {1 Lwt cancels a Dromos task} *)

let queued () =
  run (fun () ->
      let pool = Dromos_lwt.Pool.start ~workers:1 () in
      let started = Atomic.make false and go = Atomic.make false in
      let busy =
        Dromos_lwt.offload ~pool (fun () ->
            Atomic.set started true;
            while not (Atomic.get go) do
              Domain.cpu_relax ()
            done)
      in
      let* () = until "busy" (fun () -> Atomic.get started) in
      let ran = Atomic.make false in
      let p = Dromos_lwt.offload ~pool (fun () -> Atomic.set ran true) in
      Lwt.cancel p;
      is_canceled "at once" p;
      Atomic.set go true;
      let* () = busy in
      let* () = Dromos_lwt.Pool.stop pool in
      bool "never ran" false (Atomic.get ran);
      Lwt.return_unit)

(* Waiting, forked, or computing: the task leaves with Cancelled. *)
let running () =
  let stops what body =
    run (fun () ->
        let started = Atomic.make false and left = Atomic.make false in
        let p =
          Dromos_lwt.offload (fun () ->
              Atomic.set started true;
              match body () with
              | () -> ()
              | exception Dromos.Cancelled -> Atomic.set left true)
        in
        let* () = until "started" (fun () -> Atomic.get started) in
        let* () = Lwt_unix.sleep 0.002 in
        Lwt.cancel p;
        is_canceled what p;
        until (what ^ " stops") (fun () -> Atomic.get left))
  in
  stops "waiting" (fun () -> Promise.await (Promise.create ()));
  stops "in Lwt" (fun () -> Dromos_lwt.in_lwt (fun () -> fst (Lwt.task ())));
  stops "computing" (fun () ->
      while true do
        Dromos.check ()
      done);
  stops "with a child" (fun () ->
      Scope.run (fun s ->
          Scope.fork s (fun () -> Promise.await (Promise.create ()));
          Promise.await (Promise.create ())))

let over () =
  run (fun () ->
      let p = Dromos_lwt.offload (fun () -> 1) in
      let* n = p in
      Lwt.cancel p;
      int "resolved" 1 n;
      (* The task is over, but its outcome has not arrived yet: the outcome
         stands. *)
      let finished = Atomic.make false in
      let pool = Dromos_lwt.Pool.start ~workers:1 () in
      let q =
        Dromos_lwt.offload ~pool (fun () ->
            Atomic.set finished true;
            2)
      in
      while not (Atomic.get finished) do
        Domain.cpu_relax ()
      done;
      (* The next task starts after the first task's outcome was sent. *)
      let next = Atomic.make false in
      let r = Dromos_lwt.offload ~pool (fun () -> Atomic.set next true) in
      while not (Atomic.get next) do
        Domain.cpu_relax ()
      done;
      Lwt.cancel q;
      let* n = q in
      int "the value stands" 2 n;
      let* () = r in
      Dromos_lwt.Pool.stop pool)

(* {1 Lwt cancels an operation} *)

let operations () =
  run (fun () ->
      let c = Channel.create () in
      let left = Dromos_lwt.sync (Channel.recv_event c) in
      Lwt.cancel left;
      is_canceled "withdrawn" left;
      let stays = Dromos_lwt.sync (Channel.recv_event c) in
      let* () = Dromos_lwt.offload (fun () -> Channel.send c 1) in
      let* n = stays in
      int "the next one has it" 1 n;
      (* The message was taken, and is under way: the cancellation comes too
         late. *)
      let late = Dromos_lwt.sync (Channel.recv_event c) in
      Domain.join (Domain.spawn (fun () -> Channel.send c 2));
      bool "not here yet" true (Lwt.is_sleeping late);
      Lwt.cancel late;
      let* n = late in
      int "nothing is lost" 2 n;
      let p = Promise.create () in
      let q = Dromos_lwt.of_promise p in
      Lwt.cancel q;
      let* () = until "left" (fun () -> not (Lwt.is_sleeping q)) in
      is_canceled "of_promise" q;
      Promise.resolve p ();
      Lwt.pick
        [
          Dromos_lwt.sync (Channel.recv_event c) |> Lwt.map ignore;
          Lwt_unix.sleep 0.002;
        ])

(* A cancelled fiber gets one exception, where it waits; the fiber's own result
   resolves the promise. *)
let fibers () =
  run (fun () ->
      let cleaned = ref false in
      let p =
        Dromos_lwt.fiber (fun () ->
            match Dromos_lwt.await (Lwt_unix.sleep 10.) with
            | () -> 0
            | exception Lwt.Canceled ->
                Dromos_lwt.await (Lwt_unix.sleep 0.001);
                cleaned := true;
                1)
      in
      Lwt.cancel p;
      let* n = p in
      int "its own result" 1 n;
      bool "it could wait to clean up" true !cleaned;
      let inner, _ = Lwt.task () in
      let q =
        Dromos_lwt.fiber (fun () -> Dromos_lwt.in_lwt (fun () -> inner))
      in
      Lwt.cancel q;
      let* () = until "left" (fun () -> not (Lwt.is_sleeping q)) in
      is_canceled "the fiber" q;
      is_canceled "and what it had started" inner;
      let kept, _ = Lwt.task () in
      let r = Dromos_lwt.fiber (fun () -> Dromos_lwt.await kept) in
      Lwt.cancel r;
      let* () = until "left" (fun () -> not (Lwt.is_sleeping r)) in
      bool "await leaves the promise alone" true (Lwt.is_sleeping kept);
      Lwt.return_unit)

(* {1 A scope cancels a task that waits for Lwt} *)

exception Stop

(* [body started] is cancelled after it has called [started]. *)
let cancelled_by_scope body =
  let started = Atomic.make false in
  match
    Dromos.run ~workers:2 (fun () ->
        Scope.run (fun s ->
            Scope.fork s (fun () -> body (fun () -> Atomic.set started true));
            while not (Atomic.get started) do
              Dromos.yield ()
            done;
            raise Stop))
  with
  | () -> Alcotest.fail "not stopped"
  | exception Stop -> ()

let lwt_promise_state p = Dromos_lwt.in_lwt (fun () -> Lwt.return (Lwt.state p))

let tasks () =
  Dromos_lwt.with_loop @@ fun () ->
  (* Cancelled while the Lwt code is under way: the code is cancelled too. *)
  let p = Atomic.make None in
  cancelled_by_scope (fun started ->
      Dromos_lwt.in_lwt (fun () ->
          let q, _ = Lwt.task () in
          Atomic.set p (Some q);
          started ();
          q));
  bool "cancelled in Lwt" true
    (lwt_promise_state (Option.get (Atomic.get p)) = Lwt.Fail Lwt.Canceled);
  (* Lwt cannot cancel the promise: the task leaves nevertheless. *)
  cancelled_by_scope (fun started ->
      Dromos_lwt.in_lwt (fun () ->
          started ();
          fst (Lwt.wait ())));
  (* await: the promise is not cancelled. *)
  let q, wake = Dromos_lwt.in_lwt (fun () -> Lwt.return (Lwt.task ())) in
  cancelled_by_scope (fun started ->
      started ();
      ignore (Dromos_lwt.await q : int));
  bool "left alone" true (lwt_promise_state q = Lwt.Sleep);
  Dromos_lwt.in_lwt (fun () -> Lwt.return (Lwt.wakeup wake 5));
  int "and still good" 5 (Dromos_lwt.await q)

(* Cancelled before Lwt's thread has begun the call: the function is never
   called. *)
let before_it_began () =
  run (fun () ->
      let called = ref false in
      let left = Atomic.make false in
      let d =
        Domain.spawn (fun () ->
            Dromos.run ~workers:1 (fun () ->
                match
                  Scope.run (fun s ->
                      Scope.fork s (fun () ->
                          Dromos_lwt.in_lwt (fun () ->
                              called := true;
                              Lwt.return_unit));
                      Dromos.yield ();
                      Scope.cancel s)
                with
                | () | (exception Dromos.Cancelled) -> Atomic.set left true))
      in
      (* The loop is busy here all the while. *)
      while not (Atomic.get left) do
        Domain.cpu_relax ()
      done;
      Domain.join d;
      let* () = Lwt_unix.sleep 0.002 in
      bool "never called" false !called;
      Lwt.return_unit)

(* A cancellation of a lazy value's computation is not kept as the value's
   result. *)
let lazies () =
  run (fun () ->
      let first = ref true in
      let gate = Promise.create () in
      let l =
        Dromos_sync.Lazy.from_fun (fun () ->
            if !first then begin
              first := false;
              Promise.await gate
            end;
            5)
      in
      let p = Dromos_lwt.fiber (fun () -> Dromos_sync.Lazy.force l) in
      Lwt.cancel p;
      let* () = until "left" (fun () -> not (Lwt.is_sleeping p)) in
      is_canceled "the task that forced it" p;
      let* n = Dromos_lwt.offload (fun () -> Dromos_sync.Lazy.force l) in
      int "forced again" 5 n;
      Lwt.return_unit)

let cases =
  let case = Watch.case in
  [
    case "a queued task" queued;
    case "a running task" running;
    case "a task that is over" over;
    case "operations" operations;
    case "fibers" fibers;
    case "tasks that wait for Lwt" tasks;
    case "before Lwt began" before_it_began;
    case "lazy values" lazies;
  ]
