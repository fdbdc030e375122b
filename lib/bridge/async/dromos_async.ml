module Ivar = Async_kernel.Ivar
module Monitor = Async_kernel.Monitor
module Scheduler = Async_unix.Scheduler
module Event = Dromos_sync.Author.Event
module Promise = Dromos_sync.Promise

let start = Loop.start

(* {1 From Async code} *)

type 'a progress = Starting | Waiting | Decided of (unit -> 'a)

let sync event =
  let loop = Loop.mine "Dromos_async.sync" in
  let context = Scheduler.current_execution_context () in
  let ivar = Ivar.create () in
  (* On Async's side: [result] runs the event's own functions. *)
  let settle result =
    match result () with
    | v -> Ivar.fill_exn ivar v
    | exception e ->
        let bt = Printexc.get_raw_backtrace () in
        Monitor.send_exn (Monitor.current ()) ~backtrace:(`This bt) e
  in
  let progress = Atomic.make Starting in
  let decided result =
    if not (Atomic.compare_and_set progress Starting (Decided result)) then
      Loop.post loop (fun () ->
          ignore (Scheduler.within_context context (fun () -> settle result)))
  in
  let (_ : unit -> bool) = Event.start event decided in
  if not (Atomic.compare_and_set progress Starting Waiting) then begin
    match Atomic.get progress with
    | Decided result -> settle result
    | Starting | Waiting -> ()
  end;
  Ivar.read ivar

let to_promise deferred =
  ignore (Loop.mine "Dromos_async.to_promise" : Loop.t);
  let promise = Promise.create () in
  Async_kernel.upon deferred (Promise.resolve promise);
  promise

(* {1 From other threads and domains} *)

let no_backtrace = Printexc.get_callstack 0

let unwrapped = function
  | Ok v -> Ok v
  | Error (Monitor.Monitor_exn e) ->
      let bt = Monitor.Monitor_exn.backtrace e in
      Error
        ( Monitor.Monitor_exn.extract_exn e,
          Option.value bt ~default:no_backtrace )
  | Error e -> Error (e, no_backtrace)

let await f =
  let loop = Loop.theirs "Dromos_async.await" in
  let promise = Promise.create () in
  let left = Atomic.make false in
  let begin_wait () =
    if not (Atomic.get left) then
      Async_kernel.upon
        (Monitor.try_with ~name:"Dromos_async.await" ~rest:`Log f)
        (fun result ->
          ignore (Promise.try_resolve promise (unwrapped result) : bool))
  in
  Loop.post loop begin_wait;
  match Promise.await promise with
  | v -> v
  | exception e ->
      let bt = Printexc.get_raw_backtrace () in
      Atomic.set left true;
      Printexc.raise_with_backtrace e bt
