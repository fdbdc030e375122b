module Event = Dromos_sync.Author.Event
module Sync_promise = Dromos_sync.Promise
module Signals = Dromos_service.Signals
module Runtime = Dromos.Runtime

let () =
  Dromos_suspend.add_cancellation (function Lwt.Canceled -> true | _ -> false)

let run = Loop.run

(* {1 A domain for Lwt} *)

(* Ends the loop of [with_loop], called by the thread that is about to end the
   process: Lwt's exit hooks run Lwt's loop once more, in the exiting thread. *)
let ending = Atomic.make ignore
let () = at_exit (fun () -> (Atomic.get ending) ())

let loop_domain ready failed () =
  let serve () =
    run (fun () ->
        let until, stop = Lwt.wait () in
        let loop = Loop.mine "Dromos_lwt.with_loop" in
        Sync_promise.resolve ready (fun () ->
            ignore (Loop.post loop (fun () -> Lwt.wakeup stop ())));
        until)
  in
  match serve () with
  | () -> ()
  | exception e ->
      let failure = (e, Printexc.get_raw_backtrace ()) in
      if not (Sync_promise.try_resolve ready (Error failure)) then
        Atomic.set failed (Some failure)

let raising (e, bt) = Printexc.raise_with_backtrace e bt

(* The handler of a signal may raise while the loop starts. *)
let rec stop_when_ready ready =
  match Sync_promise.peek ready with
  | Some (Ok stop) -> stop ()
  | Some (Error _) -> ()
  | None ->
      (try ignore (Sync_promise.result ready) with _ -> ());
      stop_when_ready ready

let with_loop f =
  let ready = Sync_promise.create () and failed = Atomic.make None in
  let backtraces = Printexc.backtrace_status () and mask = Signals.current () in
  let domain =
    Signals.making (fun () ->
        Domain.spawn (fun () ->
            Printexc.record_backtrace backtraces;
            Signals.serving mask (loop_domain ready failed)))
  in
  match Sync_promise.await ready with
  | exception e ->
      let bt = Printexc.get_raw_backtrace () in
      stop_when_ready ready;
      Domain.join domain;
      Printexc.raise_with_backtrace e bt
  | stop -> (
      let id = Domain.get_id domain in
      let finish () =
        (* The loop itself may call [exit]; the loop's domain must not join
           itself. *)
        if Domain.self () <> id then begin
          Atomic.set ending ignore;
          stop ();
          Domain.join domain
        end
      in
      Atomic.set ending finish;
      let result =
        match f () with
        | v -> Ok v
        | exception e -> Error (e, Printexc.get_raw_backtrace ())
      in
      finish ();
      (* The loop's failure comes first: a failure of [f] is often a
         consequence. *)
      match (Atomic.get failed, result) with
      | Some failure, _ | None, Error failure -> raising failure
      | None, Ok v -> v)

(* {1 From Lwt code} *)

let sync event =
  let loop = Loop.mine "Dromos_lwt.sync" in
  let withdraw = ref (fun () -> true) in
  (* At the end of the loop, the operation is withdrawn: no result is given to a
     promise without a reader. *)
  let withdraw_now withdraw = ignore (!withdraw () : bool) in
  let watch = Loop.watch_while_reachable loop withdraw withdraw_now in
  let cancel () =
    let cancelled = !withdraw () in
    if cancelled then Loop.unwatch loop watch;
    cancelled
  in
  let promise, settle = Arrival.promise ~cancel in
  let settle outcome =
    Loop.unwatch loop watch;
    settle outcome
  in
  (* [result] runs the event's own functions: on Lwt's thread. *)
  let decided result =
    (* Keeps [withdraw] reachable for any thread that can still serve the
       event. *)
    ignore (Sys.opaque_identity withdraw : (unit -> bool) ref);
    ignore (Loop.post loop (fun () -> settle (Arrival.outcome result)))
  in
  (match Event.start event decided with
  | cancel -> withdraw := cancel
  | exception e ->
      (* An exception of a guard. Lwt code expects the exception in the
         promise. *)
      settle (Error (e, Printexc.get_raw_backtrace ())));
  promise

let offload ?pool ?(blocking = false) f =
  let loop = Loop.mine "Dromos_lwt.offload" in
  let pool = match pool with Some pool -> pool | None -> Offload.default () in
  let f = if blocking then fun () -> Dromos.blocking f else f in
  let f = Context.offloading f in
  let { Offload.promise; event; started } = Offload.task loop pool f in
  match Event.poll event with
  | Some cancel ->
      started cancel;
      promise
  | None ->
      (* The pool's queue is full. *)
      Lwt.bind (sync event) (fun cancel ->
          started cancel;
          promise)

module Pool = struct
  type t = Runtime.t

  let start ?workers ?hub ?minor_heap_words () =
    Runtime.create ?workers ?hub ?minor_heap_words ()

  let default = Offload.default

  let stop t =
    ignore (Loop.mine "Dromos_lwt.Pool.stop" : Loop.t);
    sync (Runtime.stop_event t)
end

let fiber f = Fiber.start (Loop.mine "Dromos_lwt.fiber") f

let of_promise p =
  let loop = Loop.mine "Dromos_lwt.of_promise" in
  Fiber.start loop (fun () -> Sync_promise.await p)

(* {1 From other threads and domains} *)

let in_lwt = Crossing.in_lwt
let await = Crossing.await

let get key =
  if Loop.is_here (Loop.theirs "Dromos_lwt.get") then Lwt.get key
  else in_lwt (fun () -> Lwt.return (Lwt.get key))
