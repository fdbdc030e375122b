open Dromos_fiber
module Event = Dromos_sync.Author.Event
module Exit = Runtime_exit
module Figures = Runtime_figures
module Hooks = Runtime_hooks
module Ivar = Dromos_sync.Ivar
module Output = Dromos_service.Output
module Once = Dromos_sync.Author.Once
module Promise = Dromos_sync.Promise
module Semaphore = Dromos_sync.Semaphore
module Signals = Dromos_service.Signals
module Timer = Dromos_service.Timer
module Waiter = Dromos_sync.Author.Waiter
module External = Dromos_suspend.External

exception Stopped of string

let () =
  Printexc.register_printer (function
    | Stopped name ->
        Some
          (Printf.sprintf
             "Dromos.Runtime.Stopped: runtime %s was stopped and takes no more \
              tasks"
             (Dromos_service.Message.quoted name))
    | _ -> None)

type t = {
  name : string;
  workers : int;
  scope : Scope.t; (* of the run's first fiber; has all tasks *)
  queue : int option; (* the bound of the queue *)
  room : Semaphore.t option; (* the room left in the queue *)
  closing : unit Ivar.t; (* filled when the runtime refuses tasks *)
  over : unit Once.t; (* filled at the end of the run *)
  figures : Figures.cell;
  report : Hooks.report;
}

let name t = t.name
let workers t = t.workers
let is_stopped t = Ivar.is_full t.closing

let inside t =
  let fiber = Fiber.current () in
  fiber != Fiber.nobody && fiber.worker.run == t.scope.scope_run

(* {1 The run} *)

let first_fiber ~preempt ready closing () =
  let serve () =
    Scope.run (fun scope ->
        Promise.resolve ready scope;
        Ivar.read closing)
  in
  if preempt then Dromos_sched.Preemption.run serve else serve ()

(* Tasks of the runtime, also future tasks, may wake fibers of any run. [External]
   therefore counts the runtime until its end, so that no other run is reported as
   deadlocked. A run that ends without {!stop} was interrupted: a finaliser raised,
   for example. *)
let live ~run ~pending ~ready ~closing ~over ~report () =
  (match run () with
  | () -> ()
  | exception e ->
      let bt = Printexc.get_raw_backtrace () in
      let early = Promise.try_resolve ready (Error (e, bt)) in
      let stopped =
        match e with Cancel.Cancelled -> Ivar.is_full closing | _ -> false
      in
      if not (early || stopped) then report "the run" e bt);
  ignore (Ivar.try_fill closing () : bool);
  Hooks.wait pending;
  External.decr ();
  ignore (Once.close over () : bool)

(* A domain that had several threads needs up to 50 ms to end, and {!stop} does not
   wait for this end. When OCaml has no domain left, some domains may be about to
   end, so [spawn_domain] tries again. *)
let rec spawn_domain tries body =
  match Domain.spawn body with
  | (_ : unit Domain.t) -> ()
  | exception Failure _ when tries > 0 ->
      Thread.delay 0.01;
      spawn_domain (tries - 1) body
  | exception Failure _ ->
      failwith
        "Dromos.Runtime.create: the process has no domain left (OCaml has 128 \
         at most); stop runtimes that are not used, or share one"

let spawn body =
  let backtraces = Printexc.backtrace_status () and mask = Signals.current () in
  let body () =
    Printexc.record_backtrace backtraces;
    Output.install ();
    Signals.serving mask body
  in
  External.incr ();
  Minor_stops.watch ();
  match Signals.making (fun () -> spawn_domain 20 body) with
  | () -> ()
  | exception e ->
      let bt = Printexc.get_raw_backtrace () in
      External.decr ();
      Printexc.raise_with_backtrace e bt

(* {1 Stopping} *)

let begin_stop ~drain t =
  ignore (Ivar.try_fill t.closing () : bool);
  if not drain then Scope.cancel t.scope

let end_source t = Event.once_source ~reason:"Runtime.stop" t.over Result.ok

let end_event t =
  if inside t then Event.always () else Event.of_source (end_source t)

let stop_event ?(drain = true) t =
  Event.guard (fun () ->
      begin_stop ~drain t;
      end_event t)

let stop ?(drain = true) ?timeout t =
  let span = Option.map (Timer.span ~call:"Dromos.Runtime.stop") timeout in
  begin_stop ~drain t;
  let give_up =
    match span with
    | Some span when drain && not (Once.is_closed t.over) ->
        Timer.after span (fun () -> Scope.cancel t.scope)
    | Some _ | None -> ignore
  in
  if not (inside t) then begin
    Event.sync (end_event t);
    give_up ()
  end

(* Stops the runtime and waits for its end, even if the caller is cancelled. *)
let abandon t =
  begin_stop ~drain:false t;
  if not (inside t) then Waiter.wait ~shielded:true (end_source t)

(* {1 Starting} *)

let made = Atomic.make 0

let default_name () =
  Printf.sprintf "runtime-%d" (1 + Atomic.fetch_and_add made 1)

let check ~name ~workers ~queue ~minor_heap_words =
  let refuse format = Printf.ksprintf invalid_arg format in
  Run.check_workers ~call:"Dromos.Runtime.create" workers;
  Option.iter (Minor_heap.check ~call:"Dromos.Runtime.create") minor_heap_words;
  Option.iter
    (fun n ->
      if n < 1 then refuse "Dromos.Runtime.create: ~queue:%d is less than 1" n)
    queue;
  if not (String.is_valid_utf_8 name) then
    refuse "Dromos.Runtime.create: ~name:%S is not UTF-8" name

let create ?name ?workers ?(hub = Hub.std) ?(preempt = false) ?minor_heap_words
    ?queue ?on_unhandled ?on_worker_start ?on_worker_stop () =
  let default get = function Some v -> v | None -> get () in
  let workers = default Run.default_workers workers in
  let name = default default_name name in
  check ~name ~workers ~queue ~minor_heap_words;
  let minor_heap_words = Minor_heap.or_callers minor_heap_words in
  Dump.if_asked ();
  let unhandled =
    match on_unhandled with
    | None -> Unhandled.in_runtime name
    | Some f -> Scope.unhandled ~runtime:name f
  in
  let report what e bt = Unhandled.tell unhandled ~what e bt in
  let pending = Pending.create () in
  let attend =
    match (on_worker_start, on_worker_stop) with
    | None, None -> None
    | on_start, on_stop ->
        let hook = Option.value ~default:ignore in
        Some
          (Hooks.attend report pending ~on_start:(hook on_start)
             ~on_stop:(hook on_stop))
  in
  let ready = Promise.create () in
  let closing = Ivar.create ~name () and over = Once.create () in
  let run () =
    Run.run ~workers ~hub_name:(Hub.name hub) ~deques:(Hub.deques hub)
      ~standing:true ?attend ~minor_heap_words ~unhandled (Hub.maker hub)
      (first_fiber ~preempt ready closing)
  in
  spawn (live ~run ~pending ~ready ~closing ~over ~report);
  match Promise.await ready with
  | scope ->
      let t =
        {
          name;
          workers;
          scope;
          queue;
          room = Option.map (fun most -> Semaphore.create ~name most) queue;
          closing;
          over;
          figures = Figures.create ();
          report;
        }
      in
      Exit.add
        {
          cancel = (fun () -> begin_stop ~drain:false t);
          over = (fun () -> Once.is_closed over);
          inside = (fun () -> inside t);
        };
      t
  | exception e ->
      let bt = Printexc.get_raw_backtrace () in
      ignore (Ivar.try_fill closing () : bool);
      Printexc.raise_with_backtrace e bt

let with_ ?name ?workers ?hub ?preempt ?minor_heap_words ?queue ?on_unhandled
    ?on_worker_start ?on_worker_stop f =
  let t =
    create ?name ?workers ?hub ?preempt ?minor_heap_words ?queue ?on_unhandled
      ?on_worker_start ?on_worker_stop ()
  in
  match
    let v = f t in
    stop t;
    v
  with
  | v -> v
  | exception e ->
      let bt = Printexc.get_raw_backtrace () in
      abandon t;
      Printexc.raise_with_backtrace e bt
